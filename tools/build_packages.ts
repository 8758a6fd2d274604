/**
 * `deno task build:packages` builds the npm packages of `packages/`, each in its folder, so that
 * `npm pack` makes an installable file. `deno task build:packages FOLDER` assembles them in another
 * folder. They share their source with the widget, so the build bundles it.
 */
import { buildSync } from "esbuild";

const ROOT = new URL("../", import.meta.url).pathname;

export interface NpmPackage {
  /** Its folder in `packages/`. */
  readonly folder: string;
  /** Declarations, in the order in which they are published as one file. */
  readonly declarations: readonly string[];
  /** Packages that stay imports. */
  readonly external: readonly string[];
  /** More modules, by their name in `src/` and `dist/`, with their own declarations. */
  readonly modules?: readonly string[];
  /** The first line of the module. */
  readonly banner?: string;
}

export const NPM_PACKAGES: readonly NpmPackage[] = [
  {
    folder: "client",
    declarations: [
      "widget/client/client.d.ts",
      "packages/client/src/session_tokens.d.ts",
      "packages/client/src/feedback.d.ts",
      "packages/client/src/tool_calls.d.ts",
    ],
    external: ["@agent-chat/client"],
    modules: ["bind", "handoff"],
  },
  {
    folder: "react",
    declarations: ["packages/react/src/mod.d.ts"],
    external: ["react", "@agent-chat/client"],
    // For frameworks that render on the server: hooks run in the browser.
    banner: '"use client";',
  },
];

/** Writes everything that `npm pack` reads to `out`: manifest, README, license and `dist/`. */
export async function buildPackage(npmPackage: NpmPackage, out: string): Promise<void> {
  const { folder, declarations } = npmPackage;
  await Deno.mkdir(`${out}/dist`, { recursive: true });
  const source = `${ROOT}packages/${folder}`;
  for (const name of ["mod", ...npmPackage.modules ?? []]) {
    await Deno.writeFile(`${out}/dist/${name}.js`, bundle(npmPackage, name));
  }
  for (const name of npmPackage.modules ?? []) {
    await Deno.copyFile(`${source}/src/${name}.d.ts`, `${out}/dist/${name}.d.ts`);
  }
  const texts = declarations.map((file) => Deno.readTextFile(ROOT + file));
  await Deno.writeTextFile(`${out}/dist/mod.d.ts`, (await Promise.all(texts)).join("\n"));
  for (const file of ["package.json", "README.md"]) {
    if (await Deno.realPath(source) === await Deno.realPath(out)) break;
    await Deno.copyFile(`${source}/${file}`, `${out}/${file}`);
  }
  await Deno.copyFile(`${ROOT}LICENSE`, `${out}/LICENSE`);
}

/** Readable, because the applications that import it minify it themselves. */
function bundle({ folder, external, banner }: NpmPackage, name: string): Uint8Array {
  const { outputFiles: [file] } = buildSync({
    entryPoints: [`packages/${folder}/src/${name}.ts`],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    external: [...external],
    charset: "utf8",
    legalComments: "none",
    tsconfigRaw: {},
    logLevel: "silent",
    ...banner !== undefined && { banner: { js: banner } },
  });
  return file!.contents;
}

if (import.meta.main) {
  const target = Deno.args[0];
  for (const npmPackage of NPM_PACKAGES) {
    const { folder } = npmPackage;
    await buildPackage(npmPackage, target ? `${target}/${folder}` : `${ROOT}packages/${folder}`);
  }
}
