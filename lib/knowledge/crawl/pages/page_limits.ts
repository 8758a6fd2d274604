/** Limits of what a worker process reports of a page or a sitemap. */
export const MAX_LINKS = 2_000;
/** Of a link. */
export const MAX_LINK_LENGTH = 2_048;
/** All links together must fit into the header of a job's result. */
export const MAX_LINKS_LENGTH = 1_000_000;
/** More than a source may have, because many are left out. */
export const MAX_SITEMAP_URLS = 10_000;
