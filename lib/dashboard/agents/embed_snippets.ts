import type { Service } from "../../http/service.ts";

/** What a script tag is made of. */
export interface EmbedFacts {
  /** The service's own address, without a trailing slash. */
  baseUrl: string;
  /** Where the script is served from. */
  scriptBase: string;
  integrity: string;
  /** Names the immutable copy of the script. */
  hash12: string;
}

export function embedFacts({ baseUrl, config, widget }: Service): EmbedFacts {
  const { integrity, hash12 } = widget;
  return { baseUrl, scriptBase: config.cdnUrl ?? baseUrl, integrity, hash12 };
}
