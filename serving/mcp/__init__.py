"""The door for coding agents: an MCP server over the same functions (extra: mcp)."""
