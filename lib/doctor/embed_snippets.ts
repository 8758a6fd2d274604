import type { DoctorReport } from "../schemas/doctor.ts";
import { mintCommand, scriptTag } from "../schemas/script_tag.ts";

/** Where the service and its script are served from, without trailing slashes. */
export interface EmbedConfig {
  baseUrl: string;
  scriptBase: string;
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
  const src = `${scriptBase}/widget.v1.js`;
  return {
    tag: scriptTag({ src, integrity, apiBase: baseUrl, agentId: agent.id }),
    csp: `script-src ${new URL(scriptBase).origin}; connect-src ${new URL(baseUrl).origin}`,
    mint: mintCommand({ baseUrl, agentId: agent.id, origin: site }),
  };
}
