import type { Runtime } from "../../platform/runtime.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import { type OperatorChange, OperatorStore } from "../../store/users/operator_store.ts";
import { type User, UserStore } from "../../store/users/user_store.ts";
import { normalizeEmail } from "../credential_rules.ts";

/** An operator as other operators see them. */
export type Operator =
  & Pick<User, "id" | "tenant" | "email" | "role" | "createdAt">
  & { tenantName: string };

/** The people who operate the installation. They are users of any tenant. */
export class Operators {
  readonly #store: OperatorStore;
  readonly #users: UserStore;
  readonly #tenants: Pick<TenantStore, "get">;

  constructor(
    kv: Deno.Kv,
    { runtime, tenants }: { runtime: Runtime; tenants: Pick<TenantStore, "get"> },
  ) {
    this.#store = new OperatorStore(kv, runtime);
    this.#users = new UserStore(kv, runtime);
    this.#tenants = tenants;
  }

  /** Oldest account first. */
  async list(): Promise<Operator[]> {
    const users = await this.#store.list();
    return await Promise.all(users.map(async ({ id, tenant, email, role, createdAt }) => {
      const tenantName = (await this.#tenants.get(tenant))?.name ?? "";
      return { id, tenant, email, role, createdAt, tenantName };
    }));
  }

  /** The operator with this id. */
  async find(id: string): Promise<Operator | undefined> {
    return (await this.list()).find((one) => one.id === id);
  }

  /** Makes the user with this address, of any tenant, an operator. */
  grant(email: string): Promise<OperatorChange> {
    return this.#byEmail(email, ({ tenant, id }) => this.#store.grant(tenant, id));
  }

  revoke({ tenant, id }: Pick<User, "tenant" | "id">): Promise<OperatorChange> {
    return this.#store.revoke(tenant, id);
  }

  /** As `revoke`, for the command line. */
  revokeByEmail(email: string): Promise<OperatorChange> {
    return this.#byEmail(email, (user) => this.revoke(user));
  }

  async #byEmail(
    email: string,
    change: (user: User) => Promise<OperatorChange>,
  ): Promise<OperatorChange> {
    const address = normalizeEmail(email);
    const user = address === undefined ? undefined : await this.#users.findByEmail(address);
    return user === undefined ? { rejected: "not_found" } : await change(user);
  }
}
