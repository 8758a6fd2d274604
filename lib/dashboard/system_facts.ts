import type { Service } from "../http/service.ts";
import { t } from "./texts/translate.ts";

/** Facts about this process for operators; contains no secrets. */
export function systemFacts(
  { baseUrl, config, widget, demoAgent, runSeals }: Service,
  rssBytes: number,
): [label: string, value: string][] {
  return [
    [t("Address"), baseUrl],
    [t("Widget served from"), config.cdnUrl ?? baseUrl],
    [t("Widget release"), widget.hash12],
    [t("Store"), describeStore(config)],
    [t("Seal key"), runSeals.keys.at(-1)!.kid],
    [t("Deno"), Deno.version.deno],
    [t("Memory"), `${Math.round(rssBytes / 1_048_576)} MiB`],
    [t("Demo page"), demoAgent === undefined ? t("off") : t("on")],
    [t("Demo model"), config.demoModel ? t("on") : t("off")],
    [t("Client IP"), describeAddressSource(config.trustedProxyHops)],
    [t("Private egress allowed"), config.egressAllow.join(", ") || t("none")],
    [t("Log level"), config.logLevel],
  ];
}

/** Shows only the host of a KV server, because its URL may contain a credential. */
function describeStore({ kvUrl, kvPath, onDenoDeploy }: Service["config"]): string {
  if (kvUrl !== undefined) return t("KV server {host}", { host: new URL(kvUrl).host });
  return onDenoDeploy ? t("the platform's KV") : kvPath;
}

function describeAddressSource(hops: number): string {
  if (hops === 0) return t("from the connection");
  return hops === 1 ? "from 1 proxy" : `from ${hops} proxies`;
}
