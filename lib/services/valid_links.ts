import type {
  AccountLink,
  AccountLinkStore,
  FoundLink,
  Invitation,
} from "../store/users/account_link_store.ts";
import type { UserStore } from "../store/users/user_store.ts";

/** One-time links whose creators still have the right to create them. */
export class ValidLinks {
  readonly #links: AccountLinkStore;
  readonly #users: Pick<UserStore, "get">;

  constructor({ links, users }: { links: AccountLinkStore; users: Pick<UserStore, "get"> }) {
    [this.#links, this.#users] = [links, users];
  }

  /** The link of a token; `undefined` if it is unknown, used, expired or void. */
  async find<K extends AccountLink["kind"]>(
    token: string,
    kind: K,
  ): Promise<FoundLink & { link: Extract<AccountLink, { kind: K }> } | undefined> {
    const found = await this.#links.find(token, kind);
    return found !== undefined && await this.#isValid(found.link) ? found : undefined;
  }

  async invitations(tenant: string): Promise<Invitation[]> {
    const all = await this.#links.listInvitations(tenant);
    const valid = await Promise.all(all.map((link) => this.#isValid(link)));
    return all.filter((_, n) => valid[n]);
  }

  /**
   * The creator of a link knows its token, so the link is void once they lose their rights: a removed
   * owner or a thief of their cookie must not keep a way in.
   */
  async #isValid(link: AccountLink): Promise<boolean> {
    const maker = link.by && await this.#users.get(link.by.tenant, link.by.id);
    if (link.by !== undefined) {
      const isOwner = maker?.tenant === link.tenant && maker.role === "owner";
      if (!isOwner && !maker?.operator) return false;
    }
    if (link.kind === "invite" || link.epoch === undefined) return true;
    return (await this.#users.get(link.tenant, link.id))?.epoch === link.epoch;
  }
}
