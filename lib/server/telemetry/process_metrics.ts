import process from "node:process";
import type { MetricRegistry } from "../../platform/metrics/metric_registry.ts";

/** The process itself, with the names that all Prometheus clients use. */
export function addProcessMetrics(registry: MetricRegistry, startedAt: number): void {
  registry.gauge({
    name: "process_cpu_seconds",
    help: "CPU time of the process, of all its threads.",
    isCounter: true,
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000_000;
    },
  });
  registry.gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory of the process.",
    read: () => Deno.memoryUsage().rss,
  });
  registry.gauge({
    name: "process_start_time_seconds",
    help: "When the service opened, in seconds since the epoch.",
    read: () => startedAt / 1_000,
  });
  registry.gauge({
    name: "agent_chat_build_info",
    help: "Always 1; the label is the version of Deno.",
    read: () => [{ labels: { deno: Deno.version.deno }, value: 1 }],
  });
}
