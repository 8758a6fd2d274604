import type { DoctorReport } from "../schemas/doctor.ts";
import { mintCommand, scriptTag } from "../schemas/embed_code.ts";

/** Where things are, and what they hash to. */
export interface EmbedAddresses {
  /** The service's own address, without a trailing slash. */
  baseUrl: string;
  /** Where the script is served from, without a trailing slash. */
  scriptBase: string;
  /** Of the current script. */
  integrity: string;
}

/** What to paste, from our own facts alone: nothing of the page that was looked at. */
export function embedLines(
  { agent, origin, listed, addresses }: {
    agent: { id: string };
    origin: string | undefined;
    listed: boolean;
    addresses: EmbedAddresses;
  },
): DoctorReport["lines"] {
  const { baseUrl, scriptBase, integrity } = addresses;
  const site = listed ? origin : "https://www.example.com";
  const src = `${scriptBase}/widget.v1.js`;
  return {
    tag: scriptTag({ src, integrity, apiBase: baseUrl, agentId: agent.id }),
    csp: `script-src ${new URL(scriptBase).origin}; connect-src ${new URL(baseUrl).origin}`,
    mint: mintCommand({ baseUrl, agentId: agent.id, origin: site }),
  };
}
