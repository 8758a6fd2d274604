import { freePort } from "./free_port.ts";
import { isInstalled } from "./installed_program.ts";

/** Whether Prometheus and promtool are installed, as by `apt-get install prometheus`. */
export const HAS_PROMETHEUS = isInstalled("prometheus") && isInstalled("promtool");

/** A result of a query. */
export interface QueryResult {
  metric: Record<string, string>;
  value: [time: number, value: string];
}

/** A Prometheus server that reads a service every second with the alert rules of `deploy/`. */
export class Prometheus implements AsyncDisposable {
  readonly #url: string;
  readonly #process: Deno.ChildProcess;
  readonly #dir: string;

  private constructor(parts: { url: string; process: Deno.ChildProcess; dir: string }) {
    this.#url = parts.url;
    this.#process = parts.process;
    this.#dir = parts.dir;
  }

  /** Starts with the configuration of `deploy/`, changed to read the service at `target`. */
  static async start(
    { target, token }: { target: string; token: string },
  ): Promise<Prometheus> {
    const dir = await Deno.makeTempDir();
    const from = new URL("../../deploy/prometheus/", import.meta.url).pathname;
    await Deno.copyFile(`${from}/alerts.yml`, `${dir}/alerts.yml`);
    await Deno.writeTextFile(`${dir}/metrics_token`, token);
    const shipped = await Deno.readTextFile(`${from}/prometheus.yml`);
    const configured = shipped
      .replaceAll("15s", "1s")
      .replace("127.0.0.1:8000", new URL(target).host);
    await Deno.writeTextFile(`${dir}/prometheus.yml`, configured);
    const address = `127.0.0.1:${freePort()}`;
    const args = [
      `--config.file=${dir}/prometheus.yml`,
      `--storage.tsdb.path=${dir}/data`,
      `--web.listen-address=${address}`,
    ];
    const command = new Deno.Command("prometheus", { args, stdout: "null", stderr: "null" });
    return new Prometheus({ url: `http://${address}`, process: command.spawn(), dir });
  }

  /** The results of a query; throws if Prometheus rejects it. */
  async query(query: string): Promise<QueryResult[]> {
    const { result } = await this.#get(`/api/v1/query?${new URLSearchParams({ query })}`);
    return result as QueryResult[];
  }

  /** Every alert rule with its health and the error of its last evaluation. */
  async rules(): Promise<{ name: string; health: string; lastError?: string }[]> {
    const { groups } = await this.#get("/api/v1/rules");
    return (groups as { rules: never[] }[]).flatMap(({ rules }) => rules);
  }

  /** Polls until `condition` holds; throws after a minute. */
  async until(condition: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + 60_000;;) {
      if (await condition().catch(() => false)) return;
      if (Date.now() > end) throw new Error("Prometheus does not get there");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.status;
    await Deno.remove(this.#dir, { recursive: true });
  }

  async #get(path: string): Promise<Record<string, unknown>> {
    const response = await fetch(this.#url + path);
    const { status, data, error } = await response.json();
    if (status !== "success") throw new Error(`${path}: ${error}`);
    return data;
  }
}
