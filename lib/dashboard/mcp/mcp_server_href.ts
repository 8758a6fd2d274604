/** Where a server is connected; from an agent's tool, the page leads back to it. */
export function mcpServerHref(url: string, agentId?: string): string {
  const params = new URLSearchParams({ url, ...agentId !== undefined && { agent: agentId } });
  return `/settings/mcp?${params}`;
}
