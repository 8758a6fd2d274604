import { hasFactor } from "../../store/users/account_security.ts";
import type { AccountSecurityStore } from "../../store/users/account_security_store.ts";
import type { User } from "../../store/users/user_record.ts";
import type { UserStore } from "../../store/users/user_store.ts";

/**
 * Removes everything that a user would have to prove besides the password, and ends their sign-ins. False if
 * there was nothing.
 */
export async function resetFactors(
  user: Pick<User, "tenant" | "id" | "email">,
  { store, users }: {
    store: Pick<AccountSecurityStore, "update">;
    users: Pick<UserStore, "endSignIns">;
  },
): Promise<boolean> {
  const isReset = await store.update(user, (known) => {
    const isEmpty = !hasFactor(known) && known.recovery === undefined;
    return isEmpty ? undefined : { v: 1, passkeys: [], notices: known.notices };
  }, { action: "reset second factors" });
  if (isReset) await users.endSignIns(user.tenant, user.id, { action: "end sign-ins" });
  return isReset;
}
