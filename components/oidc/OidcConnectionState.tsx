import { CodeBlock } from "@/components/CodeBlock.tsx";
import { Notice } from "@/components/Notice.tsx";
import { Time } from "@/components/Time.tsx";
import { ROLE_NAMES } from "@/lib/dashboard/role_names.ts";
import type { OidcTest } from "@/lib/store/oidc/oidc_connection_store.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

export interface OidcConnectionStateProps {
  test: OidcTest | undefined;
  /** To register at the provider. */
  addresses: { redirect: string; logout: string; signOut: string };
  /** Where people of the tenant sign in. */
  signInLink: string;
  now: number;
}

/** Whether people can sign in at a tenant's provider, and what to register there. */
export function OidcConnectionState(props: OidcConnectionStateProps) {
  const { test, addresses, signInLink, now } = props;
  const isUsable = test?.role !== undefined;
  return (
    <section class="card stack" aria-labelledby="state">
      <h2 id="state">{isUsable ? t("In use") : t("Not in use yet")}</h2>
      {test === undefined && (
        <p class="prose">
          {t("Register the addresses below at your provider, then test the connection.")}
        </p>
      )}
      {test !== undefined && !isUsable && (
        <Notice kind="error">
          {t(
            "The test worked, but this person would not get in: their address is not verified or not of an allowed domain, or nothing gives them a role.",
          )}
        </Notice>
      )}
      {test?.role !== undefined && (
        <p class="prose">
          {rich("Tested {time} as {email}, who gets the role {role}.", {
            ...{ email: test.email, role: t(ROLE_NAMES[test.role]) },
            time: <Time at={new Date(test.at).toISOString()} now={now} />,
          })}
        </p>
      )}
      <div class="form-actions">
        <a
          class={isUsable ? "button" : "button button-primary"}
          href="/settings/single-sign-on/test"
          aria-current="false"
        >
          {t("Test sign-in")}
        </a>
        <a class="button" href="/settings/single-sign-on/delete" aria-current="false">
          {t("Remove connection")}
        </a>
      </div>
      {isUsable && <CodeBlock label={t("Sign-in link for your team")} code={signInLink} wrapped />}
      <CodeBlock label={t("Redirect URI")} code={addresses.redirect} wrapped />
      <CodeBlock label={t("Back-channel logout URI")} code={addresses.logout} wrapped />
      <CodeBlock label={t("Post-logout redirect URI")} code={addresses.signOut} wrapped />
    </section>
  );
}
