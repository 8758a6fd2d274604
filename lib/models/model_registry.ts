import type { System } from "../system.ts";
import { DEMO_MODEL, type Vendor } from "../wire/vendors.ts";
import { DemoModel } from "./demo_model.ts";
import { type Model, ModelError } from "./model.ts";

/** Finds the client for a model: the embedded one, or that of the slot's vendor. */
export class ModelRegistry {
  #demo: Model;

  constructor(system: System) {
    this.#demo = new DemoModel(system);
  }

  /** Always a client; one for a slot without a vendor refuses every request. */
  find(vendor: Vendor, model: string): Model {
    return model === DEMO_MODEL ? this.#demo : unconfigured(vendor);
  }
}

function unconfigured(vendor: Vendor): Model {
  const message = `no vendor is configured for ${vendor}`;
  return { stream: () => Promise.reject(new ModelError("provider_error", message)) };
}
