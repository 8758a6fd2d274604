import type { Service } from "../../http/service.ts";
import type { ConnectionHealth } from "../../providers/provider_health.ts";
import { isoTime } from "../../platform/runtime.ts";
import type { Protocol } from "../../schemas/connection_config.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import { defaultProviderLabel } from "./model_groups.ts";

/** A provider connection as pages show it; times are ISO 8601 UTC. */
export interface ConnectionView {
  vendor: ProviderId;
  label: string;
  state: "empty" | "ready" | "failing";
  /** Where it is configured; the environment takes precedence and cannot be changed here. */
  source?: "environment" | "dashboard";
  protocol?: Protocol;
  baseUrl?: string;
  /** Requests of the last five minutes, and how many of them failed. */
  recent?: { attempts: number; failures: number };
  /** Its API keys, if there are several. */
  keys?: { total: number; usable: number };
  lastAnswerAt?: string;
  lastFailure?: { at: string; code: string; status?: number };
}

export function connectionViews(service: Pick<Service, "config" | "providers">): ConnectionView[] {
  return PROVIDER_IDS.map((vendor) => {
    const connection = service.providers.connection(vendor);
    const label = connection?.name ?? defaultProviderLabel(vendor);
    if (connection === undefined) return { vendor, label, state: "empty" };
    const health = service.providers.health.get(vendor);
    const keys = service.providers.keyCounts(vendor);
    const { isFailing, ...recent } = service.providers.health.recentOfConnection(vendor);
    return {
      vendor,
      label,
      state: isFailing ? "failing" : "ready",
      source: service.config.connections[vendor] === undefined ? "dashboard" : "environment",
      protocol: connection.protocol,
      baseUrl: connection.baseUrl,
      recent,
      ...keys !== undefined && keys.total > 1 && { keys },
      ...healthTimes(health),
    };
  });
}

function healthTimes({ lastSuccessAt, lastFailure }: ConnectionHealth): Partial<ConnectionView> {
  return {
    ...(lastSuccessAt === undefined ? {} : { lastAnswerAt: isoTime(lastSuccessAt) }),
    ...(lastFailure === undefined ? {} : {
      lastFailure: {
        at: isoTime(lastFailure.at),
        code: lastFailure.code,
        ...(lastFailure.status === undefined ? {} : { status: lastFailure.status }),
      },
    }),
  };
}
