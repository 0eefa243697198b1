"""Serves the page, its WebSocket and its commands with aiohttp."""
