/** A React application in Chromium that uses the packed `@agent-chat/react` against the real service. */
import { NpmProject } from "./npm_project.ts";
import { onRealSite, type RealSite } from "./real_site.ts";
import type { PageOptions } from "./browser.ts";

const FIXTURES = new URL("../fixtures/npm/", import.meta.url).pathname;

/** Both packages installed beside the React that this repository pins, or one from the registry. */
export async function reactProject(version?: string): Promise<NpmProject> {
  const project = await NpmProject.create();
  await project.installOwn("client", "react");
  if (version === undefined) {
    await project.link("react", "react-dom", "@types/react", "@types/react-dom");
  } else {
    const packages = [`react@${version}`, `react-dom@${version}`];
    await project.npm(["install", "--save-exact", ...packages], {
      HOME: Deno.env.get("HOME") ?? "",
    });
  }
  for (const file of ["react_app.tsx", "widget_app.tsx"]) {
    await Deno.copyFile(FIXTURES + file, `${project.folder}/${file}`);
  }
  return project;
}

/** Opens the bundle on a page whose backend mints tokens at `/mint`. `settings` become globals. */
export function onReactSite(
  options: PageOptions & {
    readonly script: string;
    /** Rendered on the server. */
    readonly markup?: string;
    readonly settings: (parts: { base: string; agentId: string }) => Record<string, unknown>;
  },
  use: (site: RealSite) => Promise<void>,
): Promise<void> {
  const { script, markup = "", settings } = options;
  const html = ({ base, agent }: { base: string; agent: { id: string } }) => {
    const globals = JSON.stringify(settings({ base, agentId: agent.id }));
    return `<div id="root">${markup}</div><script>Object.assign(window, ${globals});</script>
      <script type="module">${filledIn(script, { base, agentId: agent.id })}</script>`;
  };
  return onRealSite({ ...options, html, endpoint: true }, use);
}

/** With this site's values in the place of those in READMEs. */
function filledIn(script: string, { base, agentId }: { base: string; agentId: string }): string {
  return script.replaceAll("https://chat.example.com", base)
    .replaceAll("7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11", agentId)
    .replaceAll("/chat-session", "/mint");
}

/** The console without React's advertisement of its developer tools. */
export function problems({ console }: RealSite): string[] {
  return console.map(({ text }) => text).filter((text) => !text.includes("React DevTools"));
}
