import type { OwnSignIn } from "@/lib/store/users/own_sign_ins.ts";
import { Time } from "@/components/Time.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const FACTORS: Readonly<Record<NonNullable<OwnSignIn["factor"]>["kind"], string>> = {
  passkey: msg("with a passkey"),
  totp: msg("with an authenticator app"),
  recovery: msg("with a recovery code"),
  provider: msg("with a second factor at the identity provider"),
};

export interface SessionListProps {
  sessions: readonly OwnSignIn[];
  /** The hash of this browser's. */
  current: string;
  now: number;
}

/** Where a user is signed in. */
export function SessionList({ sessions, current, now }: SessionListProps) {
  return (
    <ul class="rows">
      {sessions.map((session) => (
        <li key={session.hash} class="row">
          <div class="row-main">
            <p class="row-name">
              <strong>{deviceName(session)}</strong>{" "}
              {session.hash === current && <span class="badge">{t("This browser")}</span>}
            </p>
            <p class="help">
              {session.network === "" ? t("Unknown network") : session.network}
              {" · "}
              {t("Last used")} <Time at={new Date(session.usedAt).toISOString()} now={now} />
              {" · "}
              {t("Signed in")} <Time at={new Date(session.createdAt).toISOString()} now={now} />
              {session.factor && ` ${t(FACTORS[session.factor.kind])}`}
            </p>
          </div>
          {session.hash !== current && (
            <form method="post" action="/account">
              <input type="hidden" name="session" value={session.hash} />
              <button
                class="button button-small"
                type="submit"
                name="action"
                value="end_session"
                aria-label={t("Sign out {device}", { device: deviceName(session) })}
              >
                {t("Sign out")}
              </button>
            </form>
          )}
        </li>
      ))}
    </ul>
  );
}

export function deviceName({ device }: { device: string }): string {
  return device === "" ? t("Unknown browser") : device;
}
