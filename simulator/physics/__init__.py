"""How bodies roll, touch and push each other; pure; imports `sensors`, `outlines`, `numbers`."""
