import type { Role } from "../services/signed_in_user.ts";

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  owner: "Owner",
  admin: "Admin",
  viewer: "Viewer",
};
