import { Fragment } from "preact";
import type { SignedInUser } from "@/lib/services/signed_in_user.ts";
import { type Theme, THEMES } from "@/lib/dashboard/theme.ts";
import { commandsOf, navigationOf } from "@/lib/dashboard/navigation.ts";
import { currentLanguage, type Language, LANGUAGES, msg } from "@/lib/dashboard/texts/translate.ts";
import CommandPalette from "@/islands/CommandPalette.tsx";
import { ROLE_NAMES } from "@/lib/dashboard/role_names.ts";
import type { TenantChoice } from "@/lib/services/tenants/memberships.ts";
import { TenantSwitch } from "./account/TenantSwitch.tsx";
import { Brand } from "./Brand.tsx";
import { Icon } from "./Icon.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Navigation and user menu: a column next to the page, a bar above it on small screens. */
export function Sidebar(
  { user, tenants, theme }: {
    user: SignedInUser;
    /** Empty for a person of one tenant. */
    tenants: readonly TenantChoice[];
    theme: Theme;
  },
) {
  return (
    <header class="sidebar">
      <Brand />
      <button class="button menu-button" type="button" popovertarget="main-menu">
        {t("Menu")}
      </button>
      <CommandPalette commands={commandsOf(user)} />
      <nav id="main-menu" popover="auto" aria-label={t("Main")}>
        {navigationOf(user).map(({ title, links }) => (
          <Fragment key={title}>
            {title !== "" && <h2 class="nav-section">{t(title)}</h2>}
            <ul>
              {links.map(([href, icon, label]) => (
                <li key={href}>
                  <a href={href}>
                    <Icon name={icon} />
                    {t(label)}
                  </a>
                </li>
              ))}
            </ul>
          </Fragment>
        ))}
      </nav>
      <UserMenu {...{ user, tenants, theme }} />
    </header>
  );
}

/** Each in its own language. */
const LANGUAGE_LABELS: Record<Language, string> = { en: "English", de: "Deutsch" };
const THEME_LABELS: Record<Theme, string> = {
  system: msg("System"),
  light: msg("Light"),
  dark: msg("Dark"),
};

function UserMenu({ user, tenants, theme }: Parameters<typeof Sidebar>[0]) {
  const current = tenants.find(({ isCurrent }) => isCurrent);
  return (
    <details class="user-menu">
      <summary>
        <span class="avatar" aria-hidden="true">{user.email[0]?.toUpperCase()}</span>
        <span class="user-names">
          <span class="user-email">{user.email}</span>
          {current && <span class="user-tenant" dir="auto">{current.name}</span>}
        </span>
        <span class="sr-only">{t("Account menu")}</span>
      </summary>
      <div class="menu">
        <p class="menu-who">
          <strong>{user.email}</strong>
          <span>
            {user.operator
              ? t("{role}, operator", { role: t(ROLE_NAMES[user.role]) })
              : t(ROLE_NAMES[user.role])}
          </span>
        </p>
        {tenants.length > 0 && <TenantSwitch tenants={tenants} />}
        <a class="menu-item" href="/account" aria-current="false">{t("Your account")}</a>
        <a class="menu-item" href="/home?setup" aria-current="false">{t("Get started")}</a>
        <a class="menu-item" href="/docs" aria-current="false">{t("API reference")}</a>
        <form class="theme-switch" method="post" action="/account/theme" aria-label={t("Theme")}>
          {THEMES.map((name) => (
            <button
              key={name}
              type="submit"
              name="theme"
              value={name}
              aria-pressed={name === theme ? "true" : "false"}
            >
              {t(THEME_LABELS[name])}
            </button>
          ))}
        </form>
        <form
          class="theme-switch"
          method="post"
          action="/account/language"
          aria-label={t("Language")}
        >
          {LANGUAGES.map((name) => (
            <button
              key={name}
              type="submit"
              name="language"
              value={name}
              lang={name}
              aria-pressed={name === currentLanguage() ? "true" : "false"}
            >
              {LANGUAGE_LABELS[name]}
            </button>
          ))}
        </form>
        <form method="post" action="/sign-out">
          <button class="menu-item" type="submit">{t("Sign out")}</button>
        </form>
      </div>
    </details>
  );
}
