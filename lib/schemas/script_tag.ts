/**
 * The script tag to paste into a page. `apiBase` is the service's own address, without a trailing slash.
 * Source: specification section 8.
 */
export function scriptTag(
  { src, integrity, apiBase, agentId }: Record<"src" | "integrity" | "apiBase" | "agentId", string>,
): string {
  return `<script src="${src}"
  integrity="${integrity}"
  crossorigin="anonymous"
  data-service-widget
  data-api-base="${apiBase}"
  data-agent-id="${agentId}"
  data-session-token="<SESSION_TOKEN>"></script>`;
}

export function mintCommand(
  { baseUrl, agentId, origin }: { baseUrl: string; agentId: string; origin: string | undefined },
): string {
  return `curl ${baseUrl}/v1/widget/session \\
  -H "Authorization: Bearer <API_KEY>" \\
  -H "Origin: ${origin}" \\
  -H "Content-Type: application/json" \\
  -d '{"agentId":"${agentId}"}'`;
}
