// @ts-check
// Following a job to its end, and saying how far it has come.

/** @import { IngestJob } from "../schema.js" */

import { Interrupted, Problem, watchIngest } from "../common/api.js";

const RECONNECTS = 20;
const PAUSE_MS = 500;
const WAITS = {
  book: "Waiting for another job of this book",
  worker: "Waiting: every worker is busy with other books",
  retry: "Waiting to be tried again",
};

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

/** @param {NonNullable<IngestJob["waits_for"]>} reason */
export function waitInWords(reason) {
  return WAITS[reason];
}

/**
 * In a few words how far a job has come that makes no edition of a source.
 *
 * @param {IngestJob} job
 */
export function shareInWords(job) {
  if (job.waits_for) return waitInWords(job.waits_for);
  return job.chunks_total ? `${Math.floor((100 * job.chunks_done) / job.chunks_total)} %` : "…";
}
