// Explain a score, and what became of a document that is missing.

import { call } from './api.js'
import { count, field, h, number, problem, replace, table } from './dom.js'

const OUTCOMES = {
  returned: 'It is there', absent: 'There is no such document', filtered: 'A filter excludes it',
  demands_not_met: 'It lacks what the query demands', no_match: 'Neither search finds it',
  below_leg_min_score: 'Its score in a search is too low', not_a_candidate: 'Others were better in each search',
  below_min_score: 'Its score is too low', below_min_relevance: 'It has too little to do with the query',
  merged: 'It is part of another result', collapsed: 'Another result has the same text',
  grouped: 'It is part of another group', not_shown: 'It comes after the last result',
}

export function arithmetic(explanation, row) {
  const found = explanation.results.find((each) => each.chunk_id === row.chunk_id)
  if (!found) return h('p', { class: 'soft' }, 'The data has changed since: search again.')
  const words = Object.fromEntries(explanation.query.terms.flatMap((term) => term.lexemes.map((lexeme) => [lexeme, term])))
  const terms = found.full_text?.terms ?? []
  return h('div', {},
    h('p', { class: 'sum' }, h('strong', {}, number(found.score, 4)), h('code', {}, ` = ${found.arithmetic}`)),
    h('p', { class: 'soft' }, h('code', {}, `= ${found.formula}`)),
    terms.length > 0 && table(['word', 'adds to BM25', 'in chunks', 'idf'], terms.map((term) => [
      term.term === term.lexeme ? term.term : `${term.term} (${term.lexeme})`, number(term.contribution),
      count(words[term.lexeme]?.document_frequency), number(words[term.lexeme]?.idf)]), { label: 'What each word adds' }),
    h('dl', { class: 'facts' },
      leg('Full text', found.full_text), leg('Semantic', found.semantic), leg('Sparse', found.sparse),
      (found.boosts ?? []).map((boost) => fact(`${boost.signal}`, effect(boost))),
      explanation.fusion && fact('Fusion', `${explanation.fusion.fusion}: ${Object.entries(explanation.fusion.weights)
        .map(([name, weight]) => `${number(weight, 2)} × ${name.replace('_', ' ')}`).join(' + ')}`)))
}

function leg(label, found) {
  if (!found) return null
  const score = found.score === null || found.score === undefined ? 'no embedding' : number(found.score, 4)
  return fact(label, `${found.rank ? `#${found.rank}` : 'not among the candidates'}, score ${score}` +
    (found.normalised_score === null || found.normalised_score === undefined ? '' : `, on the common scale ${number(found.normalised_score, 4)}`))
}

function effect(boost) {
  if ('factor' in boost) return `× ${number(boost.factor, 4)}`
  if ('addend' in boost) return `+ ${number(boost.addend, 4)}`
  return Object.entries(boost).filter(([name]) => name !== 'signal').map(([name, value]) => `${name} ${value}`).join(', ')
}

function fact(name, value) {
  return h('div', {}, h('dt', {}, name), h('dd', {}, value))
}

/** Return a field for the id of a document, and the answer to what became of it in the search. */
export function missing(request) {
  const id = h('input', { type: 'text', required: true, autocomplete: 'off', spellcheck: 'false', name: 'external_id' })
  const answer = h('div', { 'aria-live': 'polite' })
  return h('form', {
    class: 'missing',
    onsubmit: async (event) => {
      event.preventDefault()
      replace(answer, h('p', { class: 'soft' }, 'One moment …'))
      try {
        replace(answer, fate((await call('explain', { ...request, external_id: id.value })).document))
      } catch (error) {
        replace(answer, problem(error))
      }
    },
  }, h('div', { class: 'row' }, field('External id of the document', id), h('button', { class: 'main' }, 'Tell me')), answer)
}

function fate(document) {
  return h('div', { class: 'fate' },
    h('p', {}, h('strong', {}, `${OUTCOMES[document.outcome] ?? document.outcome}. `), document.reason),
    document.chunks.length > 0 && table(['chunk', 'outcome', 'full text', 'semantic', 'score'], document.chunks.slice(0, 20).map((chunk) => [
      `#${chunk.chunk_index}`, OUTCOMES[chunk.outcome] ?? chunk.outcome, place(chunk.full_text_rank, chunk.full_text_score),
      place(chunk.semantic_rank, chunk.semantic_score), number(chunk.score)]), { label: 'Its chunks' }),
    document.chunks.length > 20 && h('p', { class: 'soft' }, `and ${count(document.chunks.length - 20)} chunks more`))
}

function place(rank, score) {
  return rank === null || rank === undefined ? '–' : `#${rank} (${number(score)})`
}
