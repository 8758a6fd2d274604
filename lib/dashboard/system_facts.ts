import type { Service } from "../http/service.ts";
import { perLanguage, t } from "./texts/translate.ts";

const times = perLanguage((language) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })
);

/** Facts about this process for operators; contains no secrets. */
export async function systemFacts(
  { baseUrl, config, widget, demoAgent, runSeals, backups }: Service,
  rssBytes: number,
): Promise<[label: string, value: string][]> {
  return [
    [t("Address"), baseUrl],
    [t("Widget served from"), config.cdnUrl ?? baseUrl],
    [t("Widget release"), widget.hash12],
    [t("Store"), describeStore(config)],
    [t("Last backup"), await describeBackups(backups)],
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

async function describeBackups(backups: Service["backups"]): Promise<string> {
  if (backups === undefined) return t("the service makes none");
  const { lastAt, isOverdue } = await backups.read();
  if (lastAt === undefined) return isOverdue ? t("none yet, and overdue") : t("none yet");
  const time = `${times().format(lastAt)} UTC`;
  return isOverdue ? t("{time}, overdue", { time }) : time;
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
