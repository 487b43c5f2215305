"""inspect_ai: ``model_graded_fact`` and ``model_graded_qa`` of arguments that are there, by ``eval_set``."""

from driver import CONCURRENCY, MODEL, PATIENCE, Scores, Task, drive
from inspect_ai import Task as Evaluation
from inspect_ai import eval_set
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import model_graded_fact, model_graded_qa
from inspect_ai.solver import solver

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0}


@solver
def as_written():
    """Take the argument of the item as the model's answer."""

    async def solve(state, generate):
        state.output = ModelOutput.from_content(MODEL, state.metadata["argument"])
        return state

    return solve


def measure(task: Task) -> Scores:
    config = GenerateConfig(max_connections=CONCURRENCY, attempt_timeout=int(PATIENCE))
    judge = get_model(f"openai/{MODEL}", base_url=task.url, api_key="none", config=config)
    samples = [
        Sample(
            id=item["id"],
            input=item["topic"],
            target="\n\n".join(item["documents"]),
            metadata={"argument": item["argument"]},
        )
        for item in task.items
    ]
    evaluation = Evaluation(
        dataset=samples,
        solver=as_written(),
        scorer=[model_graded_fact(model=judge), model_graded_qa(model=judge)],
    )
    _, logs = eval_set(
        evaluation, log_dir=str(task.folder / "logs"), model=judge, max_samples=CONCURRENCY, display="none"
    )
    scored = read_eval_log(logs[0].location).samples or []
    scores: Scores = {item["id"]: [None, None] for item in task.items}
    for sample in scored:
        if sample.scores:
            scores[sample.id] = [GRADES.get(score.value) for score in sample.scores.values()]
    return scores


drive(measure)
