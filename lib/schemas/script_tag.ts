/** The values of a script tag. */
export interface ScriptTagValues {
  src: string;
  integrity: string;
  /** The service's own address, without a trailing slash. */
  apiBase: string;
  agentId: string;
  /** Where the widget gets its tokens; without it, the tag has a place for a token. */
  sessionEndpoint?: string;
}

/** The script tag to paste into a page. Source: specification section 8. */
export function scriptTag(
  { src, integrity, apiBase, agentId, sessionEndpoint }: ScriptTagValues,
): string {
  const session = sessionEndpoint === undefined
    ? `data-session-token="<SESSION_TOKEN>"`
    : `data-session-endpoint="${sessionEndpoint}"`;
  return `<script src="${src}"
  integrity="${integrity}"
  crossorigin="anonymous"
  data-service-widget
  data-api-base="${apiBase}"
  data-agent-id="${agentId}"
  ${session}></script>`;
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
