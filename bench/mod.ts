/**
 * `deno task bench <name>` runs `bench/<name>.ts`; without a name it lists all benchmarks. A benchmark
 * exports a `benchmark`, does nothing on import, and prints its measurements.
 */

/** What each `bench/<name>.ts` exports. */
export interface Benchmark {
  /** One line for the list. */
  about: string;
  /** Flags accepted after the name on the command line; none by default. */
  flags?: readonly string[];
  /** Measures and prints. */
  run(flags: readonly string[]): Promise<void>;
}

if (import.meta.main) await main(Deno.args);

async function main([name, ...rest]: string[]): Promise<void> {
  const names = await listNames();
  if (name === undefined) return await printList(names);
  const benchmark = names.includes(name) ? await load(name) : undefined;
  if (benchmark === undefined || rest.some((flag) => !benchmark.flags?.includes(flag))) {
    const flags = benchmark?.flags?.map((flag) => ` [${flag}]`).join("") ?? "";
    console.error(`usage: deno task bench <name>${flags}, one of: ${names.join(", ")}`);
    Deno.exit(2);
  }
  await benchmark.run(rest);
}

async function listNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isFile } of Deno.readDir(import.meta.dirname!)) {
    const isBenchmark = isFile && name.endsWith(".ts") && !name.endsWith("_test.ts");
    if (isBenchmark && name !== "mod.ts") names.push(name.slice(0, -".ts".length));
  }
  return names.sort();
}

async function printList(names: string[]): Promise<void> {
  console.log("deno task bench <name>, one of:");
  const width = Math.max(...names.map((name) => name.length));
  for (const name of names) console.log(`  ${name.padEnd(width)}  ${(await load(name)).about}`);
}

async function load(name: string): Promise<Benchmark> {
  return (await import(new URL(`${name}.ts`, import.meta.url).href)).benchmark;
}
