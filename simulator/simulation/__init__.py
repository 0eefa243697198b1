"""World, firmware and network stepped together, and their control; pure; imports all rooms except `ros`."""
