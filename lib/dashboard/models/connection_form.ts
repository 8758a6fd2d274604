import {
  type ConnectionConfig,
  DEFAULT_BASE_URLS,
  DEFAULT_PROTOCOLS,
  PROTOCOLS,
} from "../../schemas/connection_config.ts";
import { testConnection } from "../../providers/test_connection.ts";
import { httpUrlSchema } from "../../schemas/http_url.ts";
import type { StoredConnection } from "../../store/providers/connection_store.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import type { Context } from "fresh";
import type { State } from "@/utils.ts";

/** The form of a provider connection, as typed; the credential is never sent back. */
export interface ConnectionFormValues {
  protocol: string;
  baseUrl: string;
  name: string;
  model: string;
}

export type ConnectionFormIssues = {
  [Field in keyof ConnectionFormValues | "apiKey" | "form" | "password"]?: string;
};

/** Text that fits into a request header. */
const HEADER_TEXT = /^[\x21-\x7e]{1,4096}$/;

export function toConnectionForm(
  vendor: ProviderId,
  { slot, model }: { slot: StoredConnection | undefined; model: string | undefined },
): ConnectionFormValues {
  const protocol = slot?.protocol ?? DEFAULT_PROTOCOLS[vendor];
  const baseUrl = slot?.baseUrl ?? DEFAULT_BASE_URLS[protocol];
  return { protocol, baseUrl, name: slot?.name ?? "", model: model ?? "" };
}

export function readConnectionForm(form: URLSearchParams): ConnectionFormValues {
  const names = ["protocol", "baseUrl", "name", "model"] as const;
  const texts = names.map((name) => [name, (form.get(name) ?? "").trim()]);
  return Object.fromEntries(texts) as Record<typeof names[number], string>;
}

export function parseConnectionForm(
  values: ConnectionFormValues,
  apiKey: string,
): { config: ConnectionConfig; model: string } | { issues: ConnectionFormIssues } {
  const protocol = PROTOCOLS.find((name) => name === values.protocol);
  const url = httpUrlSchema.safeParse(values.baseUrl);
  const issues: ConnectionFormIssues = {
    ...(protocol === undefined && { protocol: "Choose an option." }),
    ...(url.error && { baseUrl: `The address ${url.error.issues[0]!.message}.` }),
    ...(values.name.length > 64 && { name: "Use at most 64 characters." }),
    ...(!HEADER_TEXT.test(apiKey) &&
      { apiKey: "Enter the credential: visible ASCII characters without spaces." }),
    ...((values.model === "" || values.model.length > 256) && {
      model: "Enter the name of a model of this provider.",
    }),
  };
  if (protocol === undefined || !url.success || Object.keys(issues).length > 0) {
    return { issues };
  }
  const name = values.name === "" ? undefined : values.name;
  return { config: { protocol, baseUrl: url.data, apiKey, name }, model: values.model };
}

/** The provider named by the route, unless the environment configures its connection. */
export function editableConnection({ params, state }: Context<State>): ProviderId | undefined {
  const id = PROVIDER_IDS.find((id) => id === params.vendor);
  return id === undefined || state.service.config.connections[id] !== undefined ? undefined : id;
}

/** Tests a connection with a short request. Returns a message for the form if it fails. */
export async function testParsedConnection(
  { runtime, log }: State["service"],
  { vendor, ...connection }: { vendor: ProviderId; config: ConnectionConfig; model: string },
): Promise<string | undefined> {
  const report = (event: object) =>
    log.warn("a model provider failed its connection test", { ...event });
  const error = await testConnection({ provider: vendor, ...connection }, { runtime, report });
  if (error === undefined) return undefined;
  const status = error.status === undefined ? "" : ` (status ${error.status})`;
  return `The connection was not saved: ${error.message}${status}. See the service's log for details.`;
}
