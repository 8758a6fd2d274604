import type { DoctorReport } from "../schemas/doctor.ts";

/** Where the service and its script are served from, without trailing slashes. */
export interface EmbedConfig {
  baseUrl: string;
  scriptBase: string;
  /** Subresource integrity of the current script. */
  integrity: string;
}

/** Snippets to paste. They hold nothing of the page that was fetched. */
export function embedSnippets(
  { agent, origin, originAllowed, embed }: {
    agent: { id: string };
    origin: string | undefined;
    originAllowed: boolean;
    embed: EmbedConfig;
  },
): DoctorReport["lines"] {
  const { baseUrl, scriptBase, integrity } = embed;
  const site = originAllowed ? origin : "https://www.example.com";
  return {
    tag: `<script src="${scriptBase}/widget.v1.js"
  integrity="${integrity}"
  crossorigin="anonymous"
  data-service-widget
  data-api-base="${baseUrl}"
  data-agent-id="${agent.id}"
  data-session-token="<SESSION_TOKEN>"></script>`,
    csp: `script-src ${new URL(scriptBase).origin}; connect-src ${new URL(baseUrl).origin}`,
    mint: `curl ${baseUrl}/v1/widget/session \\
  -H "Authorization: Bearer <API_KEY>" \\
  -H "Origin: ${site}" \\
  -H "Content-Type: application/json" \\
  -d '{"agentId":"${agent.id}"}'`,
  };
}
