import { Head } from "fresh/runtime";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

/** Title and text of each status; any other status is a server error. */
const TEXTS: Record<number, [title: string, text: string]> = {
  403: [
    msg("Access denied"),
    msg("Your role does not allow this change, or the form came from another site."),
  ],
  404: [msg("Page not found"), msg("The page does not exist, or it was deleted.")],
  405: [msg("Page not available"), msg("This address only accepts form submissions.")],
  408: [
    msg("Request timed out"),
    msg("The form took too long to arrive. Check your connection and try again."),
  ],
  410: [
    msg("This link has expired"),
    msg("It was already used, or it is too old. Ask the person who sent it for a new link."),
  ],
  413: [
    msg("Too large"),
    msg("The form is larger than the service accepts. Send less, then try again."),
  ],
  415: [
    msg("Unsupported format"),
    msg("The service could not read the request. Reload the page and try again."),
  ],
  429: [
    msg("Too many requests"),
    msg("Your network sent too many requests in the last minute. Wait a moment, then try again."),
  ],
  503: [
    msg("Service unavailable"),
    msg("The service is busy or cannot reach its storage. Try again in a moment."),
  ],
};
const SERVER_ERROR = [
  msg("Something went wrong"),
  msg("An error occurred on our side. Try again in a moment."),
] as const;

/** For a user who only opened a page. */
const PAGE_DENIED = [
  msg("Access denied"),
  msg("Your role does not include this page. Ask an owner of your team for access."),
] as const;

/** The body of an error page. `reading` for a request that only opened a page. */
export function ErrorView({ status, reading = false }: { status: number; reading?: boolean }) {
  const texts = status === 403 && reading ? PAGE_DENIED : TEXTS[status] ?? SERVER_ERROR;
  const title = t(texts[0]);
  return (
    <section class="empty error-view">
      <Head>
        <title>{t("{title} · Agent Chat", { title })}</title>
      </Head>
      <p class="error-status">{status}</p>
      <h1>{title}</h1>
      <p>{t(texts[1])}</p>
      <a class="button" href="/" aria-current="false">{t("Back to the dashboard")}</a>
    </section>
  );
}
