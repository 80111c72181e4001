from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from iterative_retrieval.nodes.clock import announce, monotonic
from iterative_retrieval.state.progress import Finished

EVENT = Finished(files=1, tokens=2, seconds=0.5)


class _State(TypedDict):
    done: bool


def _work(state: _State) -> _State:
    announce(EVENT)
    return {"done": True}


def test_an_event_arrives_in_the_custom_stream() -> None:
    graph = StateGraph(_State)
    graph.add_node("work", _work)
    graph.add_edge(START, "work")
    graph.add_edge("work", END)
    events = list(graph.compile().stream({"done": False}, stream_mode="custom"))
    assert [Finished.model_validate(e) for e in events] == [EVENT]


def test_a_node_called_as_a_plain_function_announces_to_nobody() -> None:
    assert _work({"done": False}) == {"done": True}


def test_the_clock_does_not_go_back() -> None:
    assert monotonic() <= monotonic()
