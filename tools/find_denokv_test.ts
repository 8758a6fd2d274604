import { assertEquals, assertStringIncludes } from "@std/assert";
import { findDenokv, INSTALL_COMMAND } from "./find_denokv.ts";

const root = new URL("..", import.meta.url).pathname;

/** A folder with programs at these paths below it. */
async function withPrograms(paths: string[], test: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    for (const path of paths) {
      await Deno.mkdir(`${dir}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${dir}/${path}`, "#!/bin/sh\n", { mode: 0o755 });
    }
    await test(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("findDenokv: DENOKV_BIN before PATH before cargo's folder", () =>
  withPrograms(["own/it", "bin/denokv", "home/.cargo/bin/denokv"], async (dir) => {
    const [bin, path, home] = [`${dir}/own/it`, `${dir}/none:${dir}/bin`, `${dir}/home`];
    assertEquals(await findDenokv({ bin, path, home }), bin);
    assertEquals(await findDenokv({ path, home }), `${dir}/bin/denokv`);
    assertEquals(await findDenokv({ path: "", home }), `${dir}/home/.cargo/bin/denokv`);
    assertEquals(await findDenokv({}), undefined);
  }));

Deno.test("findDenokv: a DENOKV_BIN that is no program is not passed over in silence", () =>
  withPrograms(["bin/denokv"], async (dir) => {
    await Deno.writeTextFile(`${dir}/text`, "");
    await Deno.chmod(`${dir}/text`, 0o644);
    for (const bin of [`${dir}/none`, `${dir}/text`, `${dir}/bin`]) {
      assertEquals(await findDenokv({ bin, path: `${dir}/bin` }), undefined);
    }
  }));

Deno.test("test:denokv: without the program it exits with 2 and the command that installs it", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${root}/tools/test_denokv.ts`],
    env: { DENOKV_BIN: "/nowhere/denokv", NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).output();
  assertEquals(code, 2);
  assertStringIncludes(new TextDecoder().decode(stderr), INSTALL_COMMAND);
});
