import { type Scope, SCOPE_NAMES } from "../schemas/scopes.ts";
import { msg } from "./texts/translate.ts";

/** The scopes that a job needs, for people who know the job and not the scopes. */
export interface KeyPreset {
  id: string;
  title: string;
  text: string;
  scopes: readonly Scope[];
}

/** The preset whose scopes are chosen one by one. */
export const CUSTOM_PRESET = "custom";

/** In the order in which they are offered; the first is the default. */
export const KEY_PRESETS: readonly [KeyPreset, ...KeyPreset[]] = [
  {
    id: "website",
    title: msg("Run chats"),
    text: msg(
      "For the backend of a website or app: start widget sessions, set what visitors may use, and chat with agents.",
    ),
    scopes: ["widget:mint"],
  },
  {
    id: "agents",
    title: msg("Manage agents"),
    text: msg(
      "For deployments: create and change agents and knowledge bases, and chat to test them.",
    ),
    scopes: ["agents:write", "knowledge:write"],
  },
  {
    id: "reports",
    title: msg("Read reports"),
    text: msg("For analytics: read usage, conversations, agents and knowledge. Cannot chat."),
    scopes: ["agents:read", "billing:read", "knowledge:read", "conversations:read"],
  },
  {
    id: "all",
    title: msg("Everything"),
    text: msg("All of the above, and deleting conversations. Use it only where you have to."),
    scopes: SCOPE_NAMES,
  },
];

/** The scopes of a preset; of `custom`, those that were chosen. */
export function presetScopes(id: string, chosen: readonly string[]): readonly string[] {
  return KEY_PRESETS.find((preset) => preset.id === id)?.scopes ?? chosen;
}

/** The preset of a link, or the first one. */
export function presetOf(id: string | null): string {
  const isKnown = id === CUSTOM_PRESET || KEY_PRESETS.some((preset) => preset.id === id);
  return isKnown ? id! : KEY_PRESETS[0].id;
}

/** The title of the preset with exactly these scopes. */
export function presetTitle(scopes: readonly string[]): string | undefined {
  const same = (preset: KeyPreset) =>
    preset.scopes.length === scopes.length && preset.scopes.every((one) => scopes.includes(one));
  return KEY_PRESETS.find(same)?.title;
}
