/** The field of forms with the tenant that their page shows: another tab may have switched meanwhile. */
export const SHOWN_TENANT = "shown_tenant";
