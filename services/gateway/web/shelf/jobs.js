// @ts-check
// Following a job to its end, and saying how far it has come.

/** @import { IngestJob } from "../schema.js" */

import { asProblem, Interrupted, Problem, watchIngest } from "../common/api.js";
import { t } from "../common/language.js";

const RECONNECTS = 20;
const PAUSE_MS = 500;

/**
 * The states of a job up to its end, through restarts of what stands behind the page.
 *
 * @param {string} slug
 * @param {string} id
 */
export async function* follow(slug, id) {
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const job of watchIngest(slug, id)) {
        failures = 0;
        yield job;
        if (!["queued", "running"].includes(job.state)) return;
      }
    } catch (error) {
      if (!passes(error) || failures >= RECONNECTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** @param {unknown} error */
function passes(error) {
  if (error instanceof Interrupted) return true;
  return error instanceof Problem && ["unavailable", "unreachable", "internal"].includes(error.code);
}

/**
 * Why a job came to no good end, as it says itself.
 *
 * @param {IngestJob} job
 */
export function failureOf({ state, error }) {
  if (error) return asProblem({ code: "failed", detail: error });
  return new Problem("failed", t(state === "cancelled" ? "job.cancelled" : "job.failed"));
}

/**
 * What a job waits for and, where that is its next try, why the last one failed; "" of one that does not.
 *
 * @param {IngestJob} job
 */
export function waitInWords({ waits_for: reason, error }) {
  if (!reason) return "";
  const wait = t(`wait.${reason}`);
  return error ? `${wait}: ${error}` : wait;
}

/**
 * In a few words how far a job has come that makes no edition of a source.
 *
 * @param {IngestJob} job
 */
export function shareInWords(job) {
  if (job.waits_for) return waitInWords(job);
  return job.chunks_total ? `${Math.floor((100 * job.chunks_done) / job.chunks_total)} %` : "…";
}
