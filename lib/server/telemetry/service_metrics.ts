import { formatMetrics, type MetricsFormat } from "../../platform/metrics/format_metrics.ts";
import {
  mergeFamilies,
  type MetricFamily,
  withLabels,
} from "../../platform/metrics/metric_family.ts";
import { MetricRegistry } from "../../platform/metrics/metric_registry.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { BudgetUse } from "../../billing/budget_use.ts";
import type { SetTimer } from "../../store/tx/send_schedule.ts";
import { addBudgetMetrics, type TenantLabel } from "./budget_metrics.ts";
import { ChatMetrics } from "./chat_metrics.ts";
import { EventLoopMonitor } from "./event_loop_monitor.ts";
import { type MetricsPeers, NO_PEERS } from "./metrics_peers.ts";
import { addProcessMetrics } from "./process_metrics.ts";
import { RequestMetrics } from "./request_metrics.ts";
import { StoreMetrics } from "./store_metrics.ts";

export interface ServiceMetricsOptions {
  runtime: Runtime;
  setTimer?: SetTimer | undefined;
  peers?: MetricsPeers | undefined;
  /** When the last good backup was made, milliseconds; `undefined` if there is none. */
  lastBackupAt?: (() => number | undefined | Promise<number | undefined>) | undefined;
}

/** What is read from the service's parts when metrics are collected. */
export interface MetricSources {
  committer: { readonly load: { waiting: number; inFlight: number } };
  activeRuns: () => number;
  readBudgets: () => Promise<BudgetUse[]>;
  tenantLabel: TenantLabel;
}

/**
 * Everything that the service measures. Metrics of a process have the label `process`; those of the whole
 * service have none, and the process that answers reads them.
 */
export class ServiceMetrics {
  readonly chat: ChatMetrics;
  readonly http: RequestMetrics;
  readonly store: StoreMetrics;
  readonly #own = new MetricRegistry();
  readonly #shared = new MetricRegistry();
  readonly #peers: MetricsPeers;
  readonly #eventLoop: EventLoopMonitor;
  #tenantLabel: TenantLabel = () => "";
  #collecting: Promise<MetricFamily[]> | undefined;
  #reporting = 1;

  constructor({ runtime, setTimer, peers = NO_PEERS, lastBackupAt }: ServiceMetricsOptions) {
    this.#peers = peers;
    this.http = new RequestMetrics(this.#own);
    this.chat = new ChatMetrics(this.#own);
    this.store = new StoreMetrics(this.#own);
    this.#eventLoop = new EventLoopMonitor(this.#own, { runtime, setTimer });
    addProcessMetrics(this.#own, runtime.now());
    this.#shared.gauge({
      name: "agent_chat_last_backup_timestamp_seconds",
      help: "When the last good backup was made; no sample if there is none.",
      read: async () => toSeconds(await lastBackupAt?.()),
    });
    this.#shared.gauge({
      name: "agent_chat_server_processes",
      help: "Server processes that report metrics.",
      read: () => this.#reporting,
    });
    this.#shared.gauge({
      name: "agent_chat_server_processes_expected",
      help: "Server processes that WORKERS asks for.",
      read: () => this.#peers.expected,
    });
  }

  /** Adds what the opened service can report, and answers the other processes from now on. */
  watch({ committer, activeRuns, readBudgets, tenantLabel }: MetricSources): void {
    this.#own.gauge({
      name: "agent_chat_active_runs",
      help: "Runs of this process that are not settled.",
      read: activeRuns,
    });
    this.#own.gauge({
      name: "agent_chat_commit_queue_operations",
      help: "Operations that wait to be committed.",
      read: () => committer.load.waiting,
    });
    this.#own.gauge({
      name: "agent_chat_commits_in_flight",
      help: "Commits that the store is working on.",
      read: () => committer.load.inFlight,
    });
    this.#tenantLabel = tenantLabel;
    addBudgetMetrics(this.#shared, { read: readBudgets, label: tenantLabel });
    this.#peers.serve(() => this.#collectOwn());
  }

  /** The metrics of all server processes. Simultaneous readers share one collection. */
  async format(format: MetricsFormat): Promise<string> {
    const families = await (this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = undefined;
    }));
    return formatMetrics(families, format);
  }

  /** The label of a tenant in the metrics of its budget. */
  readonly tenantLabel = (tenant: string): string => this.#tenantLabel(tenant);

  async close(): Promise<void> {
    this.#eventLoop.close();
    await this.#peers.close();
  }

  async #collect(): Promise<MetricFamily[]> {
    const [own, others] = await Promise.all([this.#collectOwn(), this.#peers.read()]);
    this.#reporting = 1 + others.size;
    const all = new Map([...others, [this.#peers.number, own]]);
    const parts = [...all].sort(([a], [b]) => a - b)
      .map(([process, families]) => withLabels(families, { process: String(process) }));
    return [...mergeFamilies(parts), ...await this.#shared.collect()];
  }

  #collectOwn(): Promise<MetricFamily[]> {
    this.#eventLoop.start();
    return this.#own.collect();
  }
}

function toSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
