import {
  type ConnectionConfig,
  DEFAULT_BASE_URLS,
  DEFAULT_PROTOCOLS,
  type Protocol,
  PROTOCOLS,
} from "../../schemas/connection_config.ts";
import { httpUrlSchema } from "../../schemas/http_url.ts";
import type { StoredConnection } from "../../store/providers/connection_store.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import type { Context } from "fresh";
import type { State } from "@/utils.ts";

/** A vendor slot as its form holds it; a credential that was typed is never sent back. */
export interface ConnectionFormValues {
  protocol: string;
  baseUrl: string;
  name: string;
  /** The model that is asked to prove the rest. */
  model: string;
}

export type ConnectionFormIssues = Partial<
  Record<keyof ConnectionFormValues | "apiKey" | "form" | "password", string>
>;

/** The form of a slot as it is, or as it would be by default. */
export function toConnectionForm(
  vendor: ProviderId,
  { slot, model }: { slot: StoredConnection | undefined; model: string | undefined },
): ConnectionFormValues {
  const protocol = slot?.protocol ?? DEFAULT_PROTOCOLS[vendor];
  return {
    protocol,
    baseUrl: slot?.baseUrl ?? DEFAULT_BASE_URLS[protocol],
    name: slot?.name ?? "",
    model: model ?? "",
  };
}

export function readConnectionForm(form: URLSearchParams): ConnectionFormValues {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    protocol: text("protocol"),
    baseUrl: text("baseUrl"),
    name: text("name"),
    model: text("model"),
  };
}

/** The slot that a form comes to, or what is wrong with it by field. */
export function parseConnectionForm(
  values: ConnectionFormValues,
  apiKey: string,
): { config: ConnectionConfig; model: string } | { faults: ConnectionFormIssues } {
  const protocol: Protocol | undefined = PROTOCOLS.find((name) => name === values.protocol);
  const url = httpUrlSchema.safeParse(values.baseUrl);
  const faults: ConnectionFormIssues = {
    ...(protocol === undefined && { protocol: "Choose one of these." }),
    ...(url.error && { baseUrl: `The address ${url.error.issues[0]!.message}.` }),
    ...(values.name.length > 64 && { name: "Use at most 64 characters." }),
    ...(!isHeaderText(apiKey) && { apiKey: "Enter the credential: letters, digits and signs." }),
    ...((values.model === "" || values.model.length > 256) && {
      model: "Name a model that the vendor has.",
    }),
  };
  if (protocol === undefined || !url.success || Object.keys(faults).length > 0) {
    return { faults };
  }
  const name = values.name === "" ? undefined : values.name;
  return { config: { protocol, baseUrl: url.data, apiKey, name }, model: values.model };
}

/** What a header may carry; anything else would be refused at every request. */
function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text);
}

/** The slot that the route names, unless the environment sets it up: then it is not to be changed. */
export function editableConnection({ params, state }: Context<State>): ProviderId | undefined {
  const vendor = PROVIDER_IDS.find((one) => one === params.vendor);
  if (vendor === undefined || state.service.config.connections[vendor] !== undefined) {
    return undefined;
  }
  return vendor;
}
