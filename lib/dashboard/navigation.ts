import type { SignedInUser } from "../services/signed_in_user.ts";
import { isEditor, isOwner } from "./authorization.ts";

/** Icons of the navigation; `components/Icon.tsx` draws them. */
export type NavigationIcon =
  | "home"
  | "agents"
  | "knowledge"
  | "key"
  | "conversations"
  | "usage"
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
  { title: "", links: [["/home", "home", "Home"]] },
  {
    title: "Build",
    links: [
      ["/agents", "agents", "Agents"],
      ["/knowledge", "knowledge", "Knowledge"],
      ["/api-keys", "key", "API keys"],
    ],
  },
  {
    title: "Monitor",
    links: [
      ["/conversations", "conversations", "Conversations"],
      ["/usage", "usage", "Usage"],
    ],
  },
  {
    title: "Manage",
    links: [
      ["/audit", "audit", "Audit log"],
      ["/team", "team", "Team"],
      ["/settings", "settings", "Settings"],
    ],
  },
];

const OPERATOR: NavigationSection = {
  title: "Operator",
  links: [
    ["/operator/tenants", "tenants", "Tenants"],
    ["/operator/models", "models", "Models"],
    ["/operator/providers", "providers", "Model providers"],
    ["/operator/status", "status", "Status"],
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
    [isEditor(user), "Create agent", "/agents/new"],
    [isEditor(user), "Create knowledge base", "/knowledge/new"],
    [isEditor(user), "Create API key", "/api-keys/new"],
    [isEditor(user), "Add secret", "/settings/secrets/new"],
    [isOwner(user), "Invite member", "/team/invite"],
    [user.operator, "Connect model", "/operator/providers/connect"],
    [user.operator, "Create tenant", "/operator/tenants/new"],
    [true, "Change password", "/account"],
    [true, "Open API reference", "/docs"],
  ];
  const pages = navigationOf(user).flatMap(({ links }) => links);
  return [
    ...pages.map(([href, , title]) => ({ kind: "Page", title, href })),
    ...actions.filter(([isAllowed]) => isAllowed)
      .map(([, title, href]) => ({ kind: "Action", title, href })),
  ];
}
