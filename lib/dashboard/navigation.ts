import type { SignedInUser } from "../services/signed_in_user.ts";
import { isEditor, isOwner } from "./authorization.ts";
import { msg, t } from "./texts/translate.ts";

/** Icons of the navigation; `components/Icon.tsx` draws them. */
export type NavigationIcon =
  | "home"
  | "agents"
  | "knowledge"
  | "key"
  | "conversations"
  | "usage"
  | "unanswered"
  | "test_sets"
  | "audit"
  | "team"
  | "settings"
  | "tenants"
  | "models"
  | "providers"
  | "status";

export interface NavigationSection {
  title: string;
  links: readonly (readonly [href: string, icon: NavigationIcon, label: string])[];
}

const SECTIONS: readonly NavigationSection[] = [
  { title: "", links: [["/home", "home", msg("Home")]] },
  {
    title: msg("Build"),
    links: [
      ["/agents", "agents", msg("Agents")],
      ["/knowledge", "knowledge", msg("Knowledge")],
      ["/test-sets", "test_sets", msg("Test sets")],
      ["/api-keys", "key", msg("API keys")],
    ],
  },
  {
    title: msg("Monitor"),
    links: [
      ["/conversations", "conversations", msg("Conversations")],
      ["/unanswered", "unanswered", msg("Unanswered")],
      ["/usage", "usage", msg("Usage")],
    ],
  },
  {
    title: msg("Manage"),
    links: [
      ["/audit", "audit", msg("Audit log")],
      ["/team", "team", msg("Team")],
      ["/settings", "settings", msg("Settings")],
    ],
  },
];

const OPERATOR: NavigationSection = {
  title: msg("Operator"),
  links: [
    ["/operator/tenants", "tenants", msg("Tenants")],
    ["/operator/operators", "team", msg("Operators")],
    ["/operator/models", "models", msg("Models")],
    ["/operator/providers", "providers", msg("Model providers")],
    ["/operator/status", "status", msg("Status")],
  ],
};

/** The pages of the sidebar that the user may open. */
export function navigationOf(user: SignedInUser): readonly NavigationSection[] {
  return user.operator ? [...SECTIONS, OPERATOR] : SECTIONS;
}

/** Something that the command palette offers. */
export interface Command {
  /** What it is, as a word at the end of the line: "Page", "Action", "Agent". */
  kind: string;
  title: string;
  href: string;
}

/** The pages and actions that the user may use. */
export function commandsOf(user: SignedInUser): Command[] {
  const actions: readonly (readonly [isAllowed: boolean, title: string, href: string])[] = [
    [isEditor(user), t("Create agent"), "/agents/new"],
    [isEditor(user), t("Create knowledge base"), "/knowledge/new"],
    [isEditor(user), t("Create API key"), "/api-keys/new"],
    [isEditor(user), t("Add secret"), "/settings/secrets/new"],
    [isOwner(user), t("Invite member"), "/team/invite"],
    [user.operator, t("Connect model"), "/operator/providers/connect"],
    [user.operator, t("Create tenant"), "/operator/tenants/new"],
    [user.operator, t("Add operator"), "/operator/operators"],
    [true, t("Change password"), "/account"],
    [true, t("Open API reference"), "/docs"],
  ];
  const pages = navigationOf(user).flatMap(({ links }) => links);
  return [
    ...pages.map(([href, , title]) => ({ kind: t("Page"), title: t(title), href })),
    ...actions.filter(([isAllowed]) => isAllowed)
      .map(([, title, href]) => ({ kind: t("Action"), title, href })),
  ];
}
