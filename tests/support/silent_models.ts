import type { ModelRegistry } from "@/lib/providers/model_registry.ts";
import type { TestService } from "./service.ts";

/** While `silent`, models answer nothing until their run is stopped. */
export function silenceModels(service: TestService): { silent: boolean } {
  const registry = service.service.providers as ModelRegistry;
  const find = registry.find.bind(registry);
  const state = { silent: false };
  const silent = {
    stream: ({ signal }: { signal: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  };
  registry.find = (...of) => state.silent ? silent : find(...of);
  return state;
}
