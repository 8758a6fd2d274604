import { Fragment } from "preact";
import type { SignedInUser } from "@/lib/services/signed_in_user.ts";
import { type Theme, THEMES } from "@/lib/dashboard/theme.ts";
import { commandsOf, navigationOf } from "@/lib/dashboard/navigation.ts";
import { currentLanguage, type Language, LANGUAGES } from "@/lib/dashboard/texts/translate.ts";
import CommandPalette from "@/islands/CommandPalette.tsx";
import { Brand } from "./Brand.tsx";
import { Icon } from "./Icon.tsx";

/** Navigation and user menu: a column next to the page, a bar above it on small screens. */
export function Sidebar({ user, theme }: { user: SignedInUser; theme: Theme }) {
  return (
    <header class="sidebar">
      <Brand />
      <button class="button menu-button" type="button" popovertarget="main-menu">Menu</button>
      <CommandPalette commands={commandsOf(user)} />
      <nav id="main-menu" popover="auto" aria-label="Main">
        {navigationOf(user).map(({ title, links }) => (
          <Fragment key={title}>
            {title !== "" && <h2 class="nav-section">{title}</h2>}
            <ul>
              {links.map(([href, icon, label]) => (
                <li key={href}>
                  <a href={href}>
                    <Icon name={icon} />
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </Fragment>
        ))}
      </nav>
      <UserMenu user={user} theme={theme} />
    </header>
  );
}

/** Each in its own language. */
const LANGUAGE_LABELS: Record<Language, string> = { en: "English", de: "Deutsch" };
const THEME_LABELS: Record<Theme, string> = { system: "System", light: "Light", dark: "Dark" };

function UserMenu({ user, theme }: { user: SignedInUser; theme: Theme }) {
  return (
    <details class="user-menu">
      <summary>
        <span class="avatar" aria-hidden="true">{user.email[0]?.toUpperCase()}</span>
        <span class="user-email">{user.email}</span>
        <span class="sr-only">Account menu</span>
      </summary>
      <div class="menu">
        <p class="menu-who">
          <strong>{user.email}</strong>
          <span>{user.role}{user.operator && " · operator"}</span>
        </p>
        <a class="menu-item" href="/account" aria-current="false">Your account</a>
        <a class="menu-item" href="/home?setup" aria-current="false">Get started</a>
        <a class="menu-item" href="/docs" aria-current="false">API reference</a>
        <form class="theme-switch" method="post" action="/account/theme" aria-label="Theme">
          {THEMES.map((name) => (
            <button
              key={name}
              type="submit"
              name="theme"
              value={name}
              aria-pressed={name === theme ? "true" : "false"}
            >
              {THEME_LABELS[name]}
            </button>
          ))}
        </form>
        <form class="theme-switch" method="post" action="/account/language" aria-label="Language">
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
          <button class="menu-item" type="submit">Sign out</button>
        </form>
      </div>
    </details>
  );
}
