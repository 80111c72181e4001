"""The page of a genome, and what a person decides on it."""

from __future__ import annotations

import logging
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette_admin.flash import flash

from ...state.errors import AlreadyDecided, IterativeRetrievalError, NotAllowed, StaleReview, UnknownGenome
from ...state.evolution import Decision, GenomeRecord
from ...state.evolution import Review as Answer
from .pages import PanelView, page, path_for, redirect
from .people import Role
from .review import barrier, demand_decider, genome_of, read_review
from .texts import texts_for

_log = logging.getLogger(__name__)

LONGEST_REASON = 4000


class GenomeView(PanelView):
    """One genome: the review, and four things that can be done."""

    path = "/genomes/{genome_id:int}"
    add_to_menu = False

    @page("", "genome")
    def index(self, request: Request, form: FormData) -> Response:
        """The review page; it changes nothing."""
        return self._review(request)

    @page("", "decide", methods=["POST"])
    def decide(self, request: Request, form: FormData) -> Response:
        """Approve, reject, roll back or delete, as the pressed button says."""
        genome = genome_of(self.desk.ledger, request.path_params["genome_id"])
        try:
            match form.get("decision"):
                case "approve" | "reject":
                    return self._answer(request, form, genome)
                case "rollback":
                    return self._rollback(request, form, genome)
                case "delete":
                    return self._delete(request, genome)
        except (AlreadyDecided, StaleReview) as conflict:
            return self._conflict(request, conflict, genome.id)
        return self._unreadable(request)

    def _answer(self, request: Request, form: FormData, genome: GenomeRecord) -> Response:
        user, ledger = self.user(request), self.desk.ledger
        approving, reason = form["decision"] == "approve", _reason(form)
        demand_decider(ledger.submission(genome.id), user, approving)
        version, seen_hash = _number(form.get("version")), str(form.get("genome_hash", ""))
        if not version or not 8 <= len(seen_hash) <= 200:
            return self._unreadable(request)
        if problem := _objection(reason, needed=not approving):
            return self._review(request, 422, problem=problem, typed=reason)
        answer = Answer(
            decision="approve" if approving else "reject",
            reviewer=user.username,
            reason=reason,
            version=version,
            genome_hash=seen_hash,
        )
        decision = ledger.decide(genome.id, answer, {user.role.value})
        self._tell(request, decision)
        return redirect(path_for(request, "genome", genome_id=genome.id))

    def _rollback(self, request: Request, form: FormData, genome: GenomeRecord) -> Response:
        user, reason, seen = self._demand_admin(request), _reason(form), _number(form.get("seen"))
        if not seen:
            return self._unreadable(request)
        if problem := _objection(reason, needed=True):
            return self._review(request, 422, problem=problem, typed=reason)
        self.desk.ledger.rollback(
            genome.layer, genome.domain, user, reason, roles={Role.ADMIN.value}, to=genome.id, seen=seen
        )
        flash(request, texts_for(request)("done.rollback", genome=genome.id), "success")
        return redirect(path_for(request, "genome", genome_id=genome.id))

    def _delete(self, request: Request, genome: GenomeRecord) -> Response:
        user = self._demand_admin(request)
        self.desk.ledger.delete(genome.id)
        _log.info("genome %s deleted by %s", genome.id, user)
        flash(request, texts_for(request)("done.delete", genome=genome.id), "success")
        return redirect(path_for(request, "genomes"))

    def _tell(self, request: Request, decision: Decision) -> None:
        """The person, and the graph that waits. What was decided stands, also when the graph does not hear of it."""
        t, wake = texts_for(request), self.desk.wake
        flash(request, t(f"done.{decision.kind}", genome=decision.genome_id), "success")
        if wake is None:
            return
        try:
            wake(decision.genome_id)
        except Exception as error:  # whatever it is, it must not look as if the decision had failed
            _log.exception("genome %s was decided, but its graph was not woken", decision.genome_id)
            flash(request, t("done.not_woken", reason=str(error)[:300] or type(error).__name__), "warning")

    def _review(self, request: Request, status: int = 200, problem: str = "", typed: str = "") -> Response:
        asked, ledger = request.query_params, self.desk.ledger
        baseline, unusable = _number(asked.get("baseline")), ""
        arguments: dict[str, Any] = {"slice_name": asked.get("slice"), "every": asked.get("queries") == "all"}
        genome_id = genome_of(ledger, request.path_params["genome_id"]).id
        try:
            review = read_review(ledger, genome_id, baseline, **arguments)
        except UnknownGenome as error:
            if baseline is None:
                raise
            review, unusable = read_review(ledger, genome_id, **arguments), str(error)
        user, now = self.user(request), self.desk.clock()
        shown = {"review": review, "barrier": barrier(review, user, now), "now": now, "asked": dict(asked)}
        told = {"problem": problem, "typed": typed, "unusable": unusable, "longest_reason": LONGEST_REASON}
        return self.page(request, "genome.html", status, **shown, **told)

    def _conflict(self, request: Request, conflict: IterativeRetrievalError, genome_id: int) -> Response:
        """Somebody was faster, or something changed: who decided what, when."""
        ledger = self.desk.ledger
        decisions = ledger.decisions(genome_id, reports=False)
        decided = decisions[-1] if decisions and isinstance(conflict, AlreadyDecided) else None
        context = {"genome": ledger.genome(genome_id), "decided": decided, "detail": str(conflict)}
        return self.page(request, "conflict.html", 409, **context)

    def _unreadable(self, request: Request) -> Response:
        detail = texts_for(request)("refused.form")
        return self.page(request, "refused.html", 400, status=400, detail=detail)

    def _demand_admin(self, request: Request) -> str:
        """The name of the admin who asks.

        Raises:
            NotAllowed: it is none.
        """
        user = self.user(request)
        if user.role is not Role.ADMIN:
            raise NotAllowed(f"{user.username} is a {user.role}; only an admin may do this")
        return user.username


def _reason(form: FormData) -> str:
    return str(form.get("reason", "")).replace("\r\n", "\n").strip()


def _objection(reason: str, needed: bool) -> str:
    """What is wrong with a reason, as the key of a text; '' when nothing is."""
    if needed and not reason:
        return "decide.reason_missing"
    return "decide.reason_long" if len(reason) > LONGEST_REASON else ""


def _number(given: object) -> int | None:
    """A number without sign; None for everything else."""
    return int(given) if isinstance(given, str) and given.isascii() and given.isdecimal() and len(given) < 10 else None
