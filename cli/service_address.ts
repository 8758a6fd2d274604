import { UsageError } from "./arguments.ts";

/** A service, and the key to call it with. */
export interface ServiceAddress {
  url: string;
  apiKey: string;
}

/** From `--url` or AGENT_CHAT_URL, and from AGENT_CHAT_API_KEY. Throws `UsageError`. */
export function serviceAddress(
  given: string | undefined,
  env: (name: string) => string | undefined,
): ServiceAddress {
  const url = given ?? env("AGENT_CHAT_URL");
  const apiKey = env("AGENT_CHAT_API_KEY");
  if (url === undefined) throw new UsageError("set AGENT_CHAT_URL, or give --url");
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url)) {
    throw new UsageError(`"${url}" is not an http:// or https:// address`);
  }
  if (apiKey === undefined) throw new UsageError("set AGENT_CHAT_API_KEY to an API key");
  return { url: url.replace(/\/+$/, ""), apiKey };
}
