import { assert, assertRejects } from "@std/assert";
import { readConfig } from "../lib/server/config/config.ts";
import { CommandError } from "../lib/server/commands/commands.ts";
import { openStore } from "../lib/server/process/open_store.ts";
import { systemRuntime } from "../lib/platform/runtime.ts";
import { inTempDir } from "../tests/support/command_line.ts";
import { connectCommands } from "./connect_commands.ts";

const REAL = { openKv: Deno.openKv, runtime: systemRuntime };

Deno.test("connectCommands: reports a store that a service with another data folder holds", () =>
  inTempDir(async (dir) => {
    const config = (name: string) =>
      readConfig({ DATA_DIR: `${dir}/${name}`, KV_PATH: `${dir}/kv` });
    const store = await openStore(config("service"), REAL);
    const connect = () => connectCommands(config("other"), REAL);
    const { message } = await assertRejects(connect, CommandError);
    for (const words of [`${dir}/kv`, `pid ${Deno.pid}`, "another DATA_DIR"]) {
      assert(message.includes(words), message);
    }
    await store.close();
  }));
