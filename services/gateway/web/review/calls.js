// @ts-check
// Calls of the review page: what only those may see who look after the record.

/**
 * @import {
 *   Answer, Coverage, GetCoverageQuery, Grade, GradeRequest, ListAnswersQuery, ReviewList,
 * } from "../schema.js"
 */

import { asPost, asQuery, call, encodePath } from "../common/api.js";

const ANSWERS = "/v1/review/answers";

/**
 * @param {ListAnswersQuery} query
 * @returns {Promise<ReviewList>}
 */
export function listAnswers(query) {
  return call(ANSWERS + asQuery(query));
}

/**
 * @param {string} id
 * @returns {Promise<Answer>}
 */
export function getReviewedAnswer(id) {
  return call(`${ANSWERS}/${encodePath(id)}`);
}

/**
 * @param {string} id
 * @param {GradeRequest} body
 * @returns {Promise<Grade>}
 */
export function gradeAnswer(id, body) {
  return call(`${ANSWERS}/${encodePath(id)}/grade`, asPost(body));
}

/**
 * @param {string} slug
 * @param {GetCoverageQuery} query
 * @returns {Promise<Coverage>}
 */
export function getCoverage(slug, query) {
  return call(`/v1/books/${encodePath(slug)}/coverage${asQuery(query)}`);
}
