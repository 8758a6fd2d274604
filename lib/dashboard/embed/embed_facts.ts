import type { Service } from "../../http/service.ts";
import type { Agent } from "../../schemas/agent.ts";
import { scriptTag } from "../../schemas/script_tag.ts";
import type { BackendValues } from "./backends.ts";

/** The address that the snippets give to the backend's route. */
export const SESSION_ENDPOINT = "/chat-session";

/** Stands for the site's origin until one is allowed. */
const EXAMPLE_ORIGIN = "https://www.example.com";

export interface EmbedFacts extends BackendValues {
  /** The specification's tag: the newest script, and a place for a token. */
  tokenTag: string;
}

/** What the snippets of an agent are filled in with. `tag` loads the script that never changes. */
export function embedFacts({ baseUrl, config, widget }: Service, agent: Agent): EmbedFacts {
  const { integrity, hash12 } = widget;
  const scriptBase = config.cdnUrl ?? baseUrl;
  const values = { integrity, apiBase: baseUrl, agentId: agent.id };
  const pinned = { ...values, src: `${scriptBase}/widget.v1.${hash12}.js` };
  return {
    baseUrl,
    agentId: agent.id,
    origin: agent.allowedOrigins?.[0] ?? EXAMPLE_ORIGIN,
    tag: scriptTag({ ...pinned, sessionEndpoint: SESSION_ENDPOINT }),
    tokenTag: scriptTag({ ...values, src: `${scriptBase}/widget.v1.js` }),
  };
}
