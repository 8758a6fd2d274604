import { Head } from "fresh/runtime";

/** What people are told of each status; other statuses are our own fault. */
const TEXTS: Record<number, [title: string, text: string]> = {
  403: [
    "You may not do this",
    "Your role does not allow this change, or the form came from another site.",
  ],
  404: ["Nothing here", "The page does not exist, or it was deleted."],
  405: ["Page not available", "This address only accepts form submissions."],
  408: [
    "Request timed out",
    "The form took too long to arrive. Check your connection and try again.",
  ],
  413: ["Too large", "The form is larger than the service accepts."],
  415: ["Not a form", "The service did not understand what was sent."],
  429: [
    "One moment, please",
    "Your network has asked for a lot in the last minute. Wait a little, then try again.",
  ],
  503: [
    "One moment, please",
    "The service is busy or cannot reach its storage. Try again in a moment.",
  ],
};
const OURS = ["Something went wrong", "The fault is on our side. Try again in a moment."] as const;

/** Of somebody who has only opened a page, and so has changed nothing. */
const NOT_FOR_YOU = [
  "Not for your role",
  "Your role does not allow this page. Ask an owner of your team.",
] as const;

/** The body of an error page; `reading` where nothing was sent. */
export function ErrorView({ status, reading = false }: { status: number; reading?: boolean }) {
  const [title, text] = status === 403 && reading ? NOT_FOR_YOU : TEXTS[status] ?? OURS;
  return (
    <section class="empty error-view">
      <Head>
        <title>{`${title} · Agent Chat`}</title>
      </Head>
      <p class="error-status">{status}</p>
      <h1>{title}</h1>
      <p>{text}</p>
      <a class="button" href="/" aria-current="false">Back to the dashboard</a>
    </section>
  );
}
