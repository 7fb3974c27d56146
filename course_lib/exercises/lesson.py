"""What a lesson is to the course: its notebook's name, its exercises and predictions in their order."""

from dataclasses import dataclass

from course_lib.checking.kinds import Exercise, Prediction


@dataclass(frozen=True)
class Lesson:
    """`name` is its notebook's, without the ending: "02_self_attention". `promise` completes "You will …" in the README."""

    name: str
    title: str
    promise: str
    exercises: tuple[Exercise, ...]
    predictions: tuple[Prediction, ...] = ()

    @property
    def number(self) -> str:
        return self.name.partition("_")[0]

    @property
    def points(self) -> int:
        return sum(exercise.points for exercise in self.exercises)
