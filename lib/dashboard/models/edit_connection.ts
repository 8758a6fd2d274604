import type { Context } from "fresh";
import type { Service } from "../../http/service.ts";
import type { ConnectionConfig } from "../../schemas/connection_config.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import type { State } from "@/utils.ts";
import {
  type ConnectIssues,
  type ConnectValues,
  parseConnectionFields,
} from "./connect_provider.ts";
import { t } from "../texts/translate.ts";

/** A connection made in the dashboard, with its key. */
export interface EditableConnection {
  vendor: ProviderId;
  config: ConnectionConfig;
}

/**
 * The connection named by the route. `undefined` if there is none, if the environment configures it, or
 * if its key can no longer be decrypted: such a one can only be disconnected.
 */
export async function readEditableConnection(
  { params, state }: Context<State>,
): Promise<EditableConnection | undefined> {
  const vendor = findEditableProvider({ params, state });
  if (vendor === undefined) return undefined;
  const config = (await state.service.connections.unsealAll()).connections[vendor];
  return config && { vendor, config };
}

/** The provider named by the route, unless the environment configures its connection. */
export function findEditableProvider(
  { params, state }: Pick<Context<State>, "params" | "state">,
): ProviderId | undefined {
  const id = PROVIDER_IDS.find((id) => id === params.provider);
  return id === undefined || state.service.config.connections[id] !== undefined ? undefined : id;
}

/** Parses an edited connection. The saved key is kept with an empty field, at the same address only. */
export function parseConnectionEdit(
  form: URLSearchParams,
  { config: saved }: EditableConnection,
): { values: ConnectValues } & ({ config: ConnectionConfig } | { issues: ConnectIssues }) {
  const { values, baseUrl, apiKey, issues } = parseConnectionFields(form, {
    baseUrl: saved.baseUrl,
    name: saved.name ?? "",
  });
  const isKeyKept = apiKey === "" && baseUrl === saved.baseUrl;
  if (apiKey === "" && !isKeyKept && saved.apiKey !== "") {
    issues.apiKey ??= t("Enter a key for this address. The saved key is only for {baseUrl}.", {
      baseUrl: saved.baseUrl,
    });
  }
  if (baseUrl === undefined || Object.keys(issues).length > 0) return { values, issues };
  return {
    values,
    config: { ...saved, baseUrl, apiKey: isKeyKept ? saved.apiKey : apiKey, name: values.name },
  };
}

/** How many models of each connection can be used by agents. */
export async function countModels(
  { catalogue }: Pick<Service, "catalogue">,
): Promise<Partial<Record<ProviderId, number>>> {
  const counts: Partial<Record<ProviderId, number>> = {};
  for (const { vendor } of await catalogue.listStored()) counts[vendor] = (counts[vendor] ?? 0) + 1;
  return counts;
}
