import type { Role } from "../services/signed_in_user.ts";
import { msg } from "./texts/translate.ts";

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  owner: msg("Owner"),
  admin: msg("Admin"),
  viewer: msg("Viewer"),
};
