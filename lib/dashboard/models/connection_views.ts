import type { Service } from "../../http/service.ts";
import type { ConnectionHealth } from "../../providers/provider_health.ts";
import { isoTime } from "../../platform/runtime.ts";
import { PROVIDER_IDS, type ProviderId } from "../../schemas/provider_id.ts";
import { defaultProviderLabel } from "./model_groups.ts";

/** A vendor slot as pages show it; times are ISO 8601 UTC. */
export interface ConnectionView {
  vendor: ProviderId;
  label: string;
  state: "empty" | "ready" | "failing";
  /** Who set it up: the environment wins, and then nobody can change it here. */
  source?: "environment" | "dashboard";
  protocol?: string;
  baseUrl?: string;
  lastAnswerAt?: string;
  lastFailure?: { at: string; code: string; status?: number };
}

/** All slots as this process uses them, with how they have been doing since it began. */
export function connectionViews(service: Pick<Service, "config" | "providers">): ConnectionView[] {
  return PROVIDER_IDS.map((vendor) => {
    const slot = service.providers.connection(vendor);
    const label = slot?.name ?? defaultProviderLabel(vendor);
    if (slot === undefined) return { vendor, label, state: "empty" };
    const health = service.providers.health.get(vendor);
    return {
      vendor,
      label,
      state: health.failures > 0 ? "failing" : "ready",
      source: service.config.connections[vendor] === undefined ? "dashboard" : "environment",
      protocol: slot.protocol,
      baseUrl: slot.baseUrl,
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
