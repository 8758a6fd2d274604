import type { SignedInUser } from "@/lib/accounts/signed_in_user.ts";
import { Brand } from "./Brand.tsx";
import { Icon } from "./Icon.tsx";

/** Navigation and the user's menu: a column beside the page, a bar above it on small screens. */
export function Sidebar({ user }: { user: SignedInUser }) {
  return (
    <header class="sidebar">
      <Brand />
      <nav aria-label="Main">
        <h2 class="nav-section">Build</h2>
        <ul>
          <li>
            <a href="/agents">
              <Icon name="agents" />
              Agents
            </a>
          </li>
          <li>
            <a href="/api-keys">
              <Icon name="key" />
              API keys
            </a>
          </li>
        </ul>
      </nav>
      <UserMenu user={user} />
    </header>
  );
}

function UserMenu({ user }: { user: SignedInUser }) {
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
        <form method="post" action="/sign-out">
          <button class="menu-item" type="submit">Sign out</button>
        </form>
      </div>
    </details>
  );
}
