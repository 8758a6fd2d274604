import type { DeviceNotice } from "@/lib/store/users/account_security.ts";
import { Notice } from "@/components/Notice.tsx";
import { Moment } from "@/components/Time.tsx";
import { deviceName } from "./SessionList.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** Sign-ins from new devices, on every page until the user has dealt with them. */
export function NewDeviceNotices(
  { notices }: { notices: readonly (DeviceNotice & { isDismissable: boolean })[] },
) {
  return (
    <>
      {notices.map((notice) => (
        <Notice key={notice.id} kind="warning">
          <p>
            {rich("New sign-in to your account: {device}, network {network}, {time}.", {
              device: deviceName(notice),
              network: notice.network || t("unknown"),
              time: <Moment at={new Date(notice.at).toISOString()} />,
            })}
          </p>
          <form method="post" action="/account" class="form-actions">
            <input type="hidden" name="notice" value={notice.id} />
            <input type="hidden" name="session" value={notice.signIn} />
            {notice.isDismissable && (
              <button
                class="button button-small"
                type="submit"
                name="action"
                value="dismiss_notice"
              >
                {t("It was me")}
              </button>
            )}
            <button class="button button-small" type="submit" name="action" value="end_session">
              {t("Sign it out")}
            </button>
          </form>
        </Notice>
      ))}
    </>
  );
}
